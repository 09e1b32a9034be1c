#include "storage/store.h"

#include <array>

namespace holdfast {
namespace {

constexpr std::array<std::string_view, kFamilyCount> kNames = {
    "catalog", "messages", "deliveries", "visibility", "dead_letters", "dead_letter_index", "dedup", "moves",
};

}  // namespace

std::string_view family_name(Family family) { return kNames[static_cast<std::size_t>(family)]; }

}  // namespace holdfast
