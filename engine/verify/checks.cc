#include <array>

#include "engine/verify/checks.h"

namespace holdfast::verify {

std::span<const StoreCheck> store_checks() {
  static constexpr std::array<StoreCheck, 10> kChecks = {
      check_catalog,       check_strays,   check_scheduled, check_dead_letter_index, check_replays,
      check_redrive_tasks, check_requests, check_dedup,     check_families,          check_journal};
  return kChecks;
}

std::span<const MakeQueueCheck> queue_checks() {
  static constexpr std::array<MakeQueueCheck, 5> kChecks = {
      make_log_check, make_counts_check, make_dead_letter_check, make_expiry_check, make_failure_check};
  return kChecks;
}

}  // namespace holdfast::verify
