// The choices in a queue's policies have stable names, by which settings and alerts spell them.
#include "holdfast/policy.h"

namespace holdfast {

std::string_view to_string(OnGiveUp action) { return action == OnGiveUp::kArchive ? "archive" : "park"; }

std::string_view to_string(AlertSeverity severity) {
  return severity == AlertSeverity::kCritical ? "critical" : "warning";
}

}  // namespace holdfast
