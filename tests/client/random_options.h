// Random options of queues, and random changes of them: randomize() for each type that an option may have.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/options/queue_option_table.h"
#include "tests/client/random_values.h"

namespace holdfast::testing {

inline void randomize(Random& random, bool& value) { value = random.one_in(2); }
inline void randomize(Random& random, std::uint32_t& value) {
  value = static_cast<std::uint32_t>(random.below(UINT32_MAX));
}
inline void randomize(Random& random, std::uint64_t& value) { value = random.below(UINT64_MAX); }
inline void randomize(Random& random, Duration& value) { value = random_duration(random); }
inline void randomize(Random& random, std::string& value) { value = random_text(random); }

template <OptionEnum T>
void randomize(Random& random, T& value) {
  const auto& words = option_table::kWords<T>;
  value = words[random.below(words.size())].first;
}

inline void randomize(Random& random, RetryPolicy& retry) {
  if (random.one_in(3)) return;
  retry = {.kind = static_cast<RetryKind>(random.below(4)),
           .base = random_duration(random),
           .cap = random_duration(random),
           .jitter = static_cast<double>(random.below(100)) / 100,
           .to = random.one_in(2) ? ReturnTo::kTail : ReturnTo::kHead};
  for (std::uint64_t i = random.below(4); i > 0; --i) retry.stages.push_back(random_duration(random));
}

inline void randomize(Random& random, Tags& tags) {
  for (std::uint64_t i = random.below(4); i > 0; --i) tags[random_text(random)] = random_text(random);
}

inline void randomize(Random& random, JournalOptions& journal) {
  if (random.one_in(2)) return;
  journal = {.max_entries = random.below(UINT64_MAX), .keep = random_duration(random)};
}

inline void randomize(Random& random, AutoRedrive& policy) {
  policy = {.every = random_duration(random),
            .max = static_cast<std::uint32_t>(random.below(UINT32_MAX)),
            .categories = {random_text(random), random_text(random)},
            .give_up_after = random_duration(random),
            .on_give_up = random.one_in(2) ? OnGiveUp::kArchive : OnGiveUp::kPark};
}

inline void randomize(Random& random, FloodBrake& brake) {
  brake = {.deaths_per_minute = static_cast<std::uint32_t>(random.below(UINT32_MAX)),
           .delay = random_duration(random)};
}

inline void randomize(Random& random, std::vector<DeadLetterRoute>& routes) {
  routes = {{random_text(random), random_text(random)}};
}

inline void randomize(Random& random, DeadLetterSources& sources) {
  sources = {.allow = DeadLetterSources::Allow::kListed, .queues = {"q" + random_text(random)}};
}

// No text is empty, since a stored row leaves out an empty text.
inline void randomize(Random& random, std::vector<std::string>& texts) {
  for (std::uint64_t i = random.below(4); i > 0; --i) texts.push_back("a" + random_text(random));
}

template <class Bound, AlertSeverity kUsual>
void randomize(Random& random, AlertRule<Bound, kUsual>& rule) {
  const auto bound = [&random]() -> std::optional<Bound> {
    if (random.one_in(3)) return std::nullopt;
    if constexpr (std::is_same_v<Bound, Duration>) {
      return random_duration(random);
    } else {
      return static_cast<Bound>(random.below(std::numeric_limits<Bound>::max()));
    }
  };
  rule.above = bound();
  rule.severity = random.one_in(2) ? AlertSeverity::kWarning : AlertSeverity::kCritical;
  rule.fire_after = random_duration(random);
  rule.clear_at = bound();
  rule.clear_after = random_duration(random);
}

inline void randomize(Random& random, AlertRules& rules) {
  rules.arrivals_for = random_duration(random);
  randomize(random, rules.depth);
  randomize(random, rules.depth_high);
  randomize(random, rules.depth_critical);
  randomize(random, rules.arrivals);
  randomize(random, rules.oldest);
  randomize(random, rules.unassigned);
}

inline QueueOptions random_options(Random& random) {
  QueueOptions options;
  for_each_option([&](const auto& option) { randomize(random, option.place(options)); });
  return options;
}

inline QueueChanges random_changes(Random& random) {
  QueueChanges changes;
  for_each_option([&](const auto& option) {
    if (random.one_in(2)) randomize(random, option.place(changes).emplace());
  });
  return changes;
}

}  // namespace holdfast::testing
