// Tells GoogleTest how to print the project's types.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <type_traits>

#include "engine/base/options/queue_option_table.h"
#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/event.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "holdfast/time.h"

namespace holdfast {

// NOLINTBEGIN(readability-identifier-naming): PrintTo is the name that GoogleTest looks for.

inline void PrintTo(ErrorCode code, std::ostream* out) { *out << error_info(code).name; }
inline void PrintTo(const Error& error, std::ostream* out) { *out << to_string(error); }
inline void PrintTo(const MessageId& id, std::ostream* out) { *out << id.to_string(); }
inline void PrintTo(const Receipt& receipt, std::ostream* out) { *out << receipt.to_string(); }
inline void PrintTo(QueueId id, std::ostream* out) { *out << "queue#" << static_cast<std::uint64_t>(id); }
inline void PrintTo(Seq seq, std::ostream* out) { *out << "seq#" << static_cast<std::uint64_t>(seq); }
inline void PrintTo(DeathCause cause, std::ostream* out) { *out << to_string(cause); }
inline void PrintTo(EventKind kind, std::ostream* out) { *out << to_string(kind); }
inline void PrintTo(Durability durability, std::ostream* out) {
  *out << (durability == Durability::kFsync ? "fsync" : "buffered");
}

inline void PrintTo(const Attribute& attribute, std::ostream* out) {
  *out << ::testing::PrintToString(attribute.name) << ": " << ::testing::PrintToString(attribute.value);
}

inline void PrintTo(const Consumer& consumer, std::ostream* out) {
  *out << consumer.instance << "@" << consumer.version;
}

inline void PrintTo(const QueueCounts& counts, std::ostream* out) {
  *out << "{ready " << counts.ready << ", waiting " << counts.waiting << ", leased " << counts.leased
       << ", dead " << counts.dead << "}";
}

inline void PrintTo(const QueueTotals& totals, std::ostream* out) {
  *out << "{sent " << totals.sent << ", delivered " << totals.delivered << ", acked " << totals.acked
       << ", dead_lettered " << totals.dead_lettered << ", discarded " << totals.discarded << ", redriven "
       << totals.redriven << ", parked " << totals.parked << ", expired " << totals.expired << ", overflowed "
       << totals.overflowed << "}";
}

// Values of options are printed by their members. GoogleTest would print bytes of memory, which differ from
// run to run.
inline void PrintTo(const RetryPolicy& retry, std::ostream* out) {
  *out << "{kind " << static_cast<int>(retry.kind) << ", " << retry.base.count() << "us.."
       << retry.cap.count() << "us, jitter " << retry.jitter << ", to " << static_cast<int>(retry.to)
       << ", stages";
  for (const Duration stage : retry.stages) *out << " " << stage.count() << "us";
  *out << "}";
}

inline void PrintTo(const JournalOptions& journal, std::ostream* out) {
  *out << "{" << journal.max_entries << " entries, " << journal.keep.count() << "us}";
}

inline void PrintTo(const FloodBrake& brake, std::ostream* out) {
  *out << "{" << brake.deaths_per_minute << " a minute, " << brake.delay.count() << "us}";
}

inline void PrintTo(const AutoRedrive& policy, std::ostream* out) {
  *out << "{every " << policy.every.count() << "us, max " << policy.max << ", "
       << ::testing::PrintToString(policy.categories) << ", backoff " << policy.backoff.count() << "us.."
       << policy.backoff_max.count() << "us, max_replays " << policy.max_replays << ", give_up_after "
       << policy.give_up_after.count() << "us, then " << to_string(policy.on_give_up) << "}";
}

template <class Bound, AlertSeverity kUsual>
void PrintTo(const AlertRule<Bound, kUsual>& rule, std::ostream* out) {
  const auto print = [out](const std::optional<Bound>& bound) {
    if (!bound) {
      *out << "off";
    } else if constexpr (std::is_same_v<Bound, Duration>) {
      *out << bound->count() << "us";
    } else {
      *out << *bound;
    }
  };
  *out << "{above ";
  print(rule.above);
  *out << ", clear_at ";
  print(rule.clear_at);
  *out << ", " << to_string(rule.severity) << ", " << rule.fire_after.count() << "us, "
       << rule.clear_after.count() << "us}";
}

inline void PrintTo(const AlertRules& rules, std::ostream* out) {
  const auto print = [out](const auto&... all) { ((PrintTo(all, out), *out << " "), ...); };
  print(rules.depth, rules.depth_high, rules.depth_critical, rules.arrivals, rules.oldest, rules.unassigned);
  *out << "for " << rules.arrivals_for.count() << "us";
}

inline void PrintTo(const DeadLetterRoute& route, std::ostream* out) {
  *out << ::testing::PrintToString(route.category) << " to '" << route.queue << "'";
}

inline void PrintTo(const DeadLetterSources& sources, std::ostream* out) {
  *out << "{" << static_cast<int>(sources.allow) << " " << ::testing::PrintToString(sources.queues) << "}";
}

// Prints the options that do not have their defaults.
inline void PrintTo(const QueueOptions& options, std::ostream* out) {
  *out << "{";
  const QueueOptions usual;
  for_each_option([&]<class T>(const QueueOption<T>& option) {
    const T& value = option.place(options);
    if (value == option.place(usual)) return;
    *out << option.name << " ";
    if constexpr (std::is_same_v<T, Duration>) {
      *out << value.count() << "us, ";
    } else if constexpr (OptionEnum<T>) {
      *out << to_string(value) << ", ";
    } else {
      *out << ::testing::PrintToString(value) << ", ";
    }
  });
  *out << "}";
}

inline void PrintTo(const FailureRecord& record, std::ostream* out) {
  *out << "{" << record.message_id.to_string() << " from " << record.source_queue << ", cause "
       << to_string(record.cause) << ", category '" << record.category << "', reason '" << record.reason
       << "', code '" << record.code << "', deliveries " << record.deliveries << ", replays "
       << record.replays << ", failed " << record.first_failed_at.time_since_epoch().count() << ".."
       << record.last_failed_at.time_since_epoch().count() << ", died "
       << record.died_at.time_since_epoch().count();
  if (record.first_death)
    *out << ", first '" << record.first_death->category << "' '" << record.first_death->reason << "' in "
         << record.first_death->source_queue;
  *out << "}";
}

inline void PrintTo(const TaskStatus& status, std::ostream* out) {
  *out << "{task " << static_cast<std::uint64_t>(status.id) << " of '" << status.queue << "' to '"
       << status.to << "': " << to_string(status.state) << ", moved " << status.moved << ", parked "
       << status.parked << ", left '" << to_string(status.left) << "', total " << status.total << ", by '"
       << status.actor << "', cancelled by '" << status.cancelled_by << "', error '" << status.error << "'}";
}

inline void PrintTo(const LeftInPlace& left, std::ostream* out) { *out << "{" << to_string(left) << "}"; }

template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  *out << (result ? "ok" : to_string(result.error()));
}

// NOLINTEND(readability-identifier-naming)

}  // namespace holdfast
