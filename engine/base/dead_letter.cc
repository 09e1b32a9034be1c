#include "holdfast/dead_letter.h"

namespace holdfast {

std::string_view to_string(DeathCause cause) {
  switch (cause) {
    case DeathCause::kMaxDeliveries:
      return "max_deliveries";
    case DeathCause::kRejected:
      return "rejected";
  }
  return "unknown";
}

}  // namespace holdfast
