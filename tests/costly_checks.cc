// Switches the engine's costly checks on in each test program, whatever it was built with.
#include "engine/base/helpers/costly_check.h"

namespace holdfast::testing {
namespace {

[[maybe_unused]] const bool kIsOn = costly_checks = true;

}  // namespace
}  // namespace holdfast::testing
