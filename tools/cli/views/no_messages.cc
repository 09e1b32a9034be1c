#include "tools/cli/views/no_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "holdfast/time.h"
#include "tools/cli/texts/duration.h"

namespace holdfast::command {
namespace {

std::string some(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Returns what holds messages up, in the order in which it has to be put right.
std::vector<std::string> reasons(const QueueInfo& info) {
  const auto& [ready, waiting, leased, dead] = info.counts;
  std::vector<std::string> all;
  if (info.paused.deliveries)
    all.push_back(fmt::format("deliveries are paused ('holdfast queue resume {}' starts them)", info.name));
  const std::uint64_t max_leased = info.options.limits.max_leased;
  const bool full = max_leased > 0 && leased >= max_leased;
  if (full)
    all.push_back(fmt::format("{}, as many as the queue allows", some(leased, "is leased", "are leased")));
  const bool in_groups = info.options.grouping.mode == Grouping::kOrdered;
  if (ready > 0 && in_groups && !info.paused.deliveries && !full) {
    all.push_back(some(ready, "waits for an earlier one of its group, which is leased or to be tried again",
                       "wait for earlier ones of their groups, which are leased or to be tried again"));
  } else if (ready > 0) {
    all.push_back(some(ready, "is ready", "are ready"));
  }
  if (leased > 0 && !full) all.push_back(some(leased, "is leased", "are leased"));
  if (waiting > 0) all.push_back(some(waiting, "is scheduled for later", "are scheduled for later"));
  return all;
}

}  // namespace

std::string no_messages(Broker& broker, std::string_view queue) {
  std::string text = "no messages";
  const auto info = broker.describe_queue(queue);
  if (!info) return text;  // a token that may only receive may not know more
  const auto all = reasons(*info);
  if (all.empty()) return text;
  text += ": " + fmt::format("{}", fmt::join(all, "; "));
  if (info->counts.leased + info->counts.waiting == 0) return text;
  const auto statistics = broker.queue_statistics(queue);
  if (!statistics || !statistics->next_due) return text;
  const Duration left = std::max(Duration{0}, *statistics->next_due - broker.now());
  return text + fmt::format("; the next lease or wait ends in {}", format_rounded(left));
}

}  // namespace holdfast::command
