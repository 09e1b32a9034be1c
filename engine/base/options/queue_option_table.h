// The table of a queue's options has one row for each. The check of its bounds, the stored form, the
// protocol, the altering of options, the command and its texts follow from the rows. Only these include this
// file; code that obeys an option reads the option's field.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "engine/base/names.h"
#include "engine/base/options/queue_option.h"
#include "holdfast/limits.h"
#include "holdfast/queue.h"

namespace holdfast {

namespace option_table {

template <class Field>
constexpr auto row(std::string_view name, Field field, std::uint32_t tag, std::string_view help) {
  using T = std::remove_reference_t<std::invoke_result_t<Field, QueueOptions&>>;
  return QueueOption<T>{.name = name, .place = OptionPlace<T>(field), .tag = tag, .help = help};
}

// Returns the field of an option, in QueueOptions or in QueueChanges. The parentheses make it a reference.
#define HOLDFAST_OPTION(field) [](auto& options) -> decltype(auto) { return (options.field); }

// The rows are in the order in which a definition is stored and in which people see the options. The next
// free tag is 48. A tag that no row has is not free: catalog_rows.cc uses it.
inline constexpr std::tuple kRows{
    row("max_deliveries", HOLDFAST_OPTION(retry.max_deliveries), 3,
        "Dead-letter a message after this many deliveries without an ack, 1 to 1000")
        .within(limits::kMaxDeliveriesMin, limits::kMaxDeliveriesMax),
    row("dead_letter_queue", HOLDFAST_OPTION(dead_letters.queue), 4,
        "Where dead letters go; must exist, or see --create-missing")
        .as(Notation::kQueue),
    row("lease", HOLDFAST_OPTION(lease), 5, "How long a delivery is leased when receive does not say")
        .within(limits::kLeaseMin, limits::kLeaseMax),
    row("durability", HOLDFAST_OPTION(durability), 6,
        "Of calls that do not say. fsync: survives a power loss; buffered: survives the process [fsync]"),
    row("discard_rejected", HOLDFAST_OPTION(dead_letters.discard_rejected), 7,
        "Without a dead letter queue, reject discards the message for good")
        .as(Notation::kSwitch),
    row("delay", HOLDFAST_OPTION(delay), 8, "Messages wait this long before their first delivery")
        .within(Duration{0}, limits::kDelayMax),
    row("grouping", HOLDFAST_OPTION(grouping.mode), 9, ""),  // each value is a flag with a help of its own
    row("require_group", HOLDFAST_OPTION(grouping.require_group), 47,
        "Whether a send without a group is refused [no]"),
    row("deduplication", HOLDFAST_OPTION(deduplication.mode), 10,
        "Add no message that was sent before: known by its id, by its body, or never")
        .with_flag("dedup"),
    row("deduplication_window", HOLDFAST_OPTION(deduplication.window), 11,
        "How long a send is remembered [5m]")
        .with_flag("dedup-window")
        .within(limits::kDeduplicationWindowMin, limits::kDeduplicationWindowMax),
    row("priorities", HOLDFAST_OPTION(priority.levels), 12,
        "Levels of priority, 1 to 16: the highest goes first [1: none]")
        .within(limits::kPrioritiesMin, limits::kPrioritiesMax),
    row("priority_aging", HOLDFAST_OPTION(priority.aging), 13,
        "A message goes before those of one level higher sent this much later [0s: never]")
        .within(Duration{0}, limits::kPriorityAgingMax),
    row("dead_letter_routes", HOLDFAST_OPTION(dead_letters.routes), 20,
        "Where messages go instead whose last failure has this category, whatever they die of; may be "
        "repeated, and replaces all routes")
        .with_flag("dead-letter-route"),
    row("keep_replayed", HOLDFAST_OPTION(retention.replayed), 23,
        "How long replayed and acknowledged dead letters stay in this queue [90d]")
        .within(Duration{0}, limits::kKeepMax)
        .stored_as_one_more(),
    row("keep_abandoned", HOLDFAST_OPTION(retention.abandoned), 24,
        "How long abandoned dead letters stay in this queue [365d]")
        .within(Duration{0}, limits::kKeepMax)
        .stored_as_one_more(),
    row("dead_letter_sources", HOLDFAST_OPTION(dead_letters.sources), 21,
        "Who may use this as their dead letter queue: all, none, or these queues"),
    row("searched_attributes", HOLDFAST_OPTION(dead_letters.searched_attributes), 44,
        "Of a dead letter queue: attributes that it indexes, so that dlq find is fast on them; \"\": none"),
    row("keep_unresolved", HOLDFAST_OPTION(retention.unresolved), 45,
        "How long dead letters that nobody resolved stay; 0: until somebody resolves them")
        .within(Duration{0}, limits::kKeepMax),
    row("direct_sends", HOLDFAST_OPTION(dead_letters.direct_sends), 46,
        "Of a dead letter queue: whether it takes sends, each a dead letter at once [no]"),
    row("parking_queue", HOLDFAST_OPTION(dead_letters.parking_queue), 16,
        "Of a dead letter queue: where dead letters are put aside for people; \"\": nowhere")
        .as(Notation::kQueue),
    row("auto_redrive", HOLDFAST_OPTION(dead_letters.auto_redrive), 17,
        "Of a dead letter queue: bring its letters back by itself. Keys: every (0: never), max, category "
        "(none: all), backoff, backoff-max, max-replays, give-up-after, on-give-up "
        "(what becomes of one that failed for longer than that: park or archive)"),
    row("alerts", HOLDFAST_OPTION(alerts), 18,
        "Of a dead letter queue: when to call people. Rules: depth, depth-high, depth-critical, arrivals "
        "(per "
        "minute, over arrivals-for), oldest and unassigned; each takes a threshold, or 'off'. Keys of a "
        "rule, "
        "as in depth.fire-after: severity (warning or critical); fire-after, for how long the value is above "
        "the threshold before the alert fires; clear-at and clear-after, for how long it is at most clear-at "
        "before the alert clears")
        .with_flag("alert"),
    row("brake", HOLDFAST_OPTION(brake), 19,
        "Slow down when messages die in large numbers. Keys: deaths (a minute; 0: never), delay"),
    row("retry", HOLDFAST_OPTION(retry.policy), 25,
        "When a message that failed comes again: immediate, fixed:5s, exponential:1s:10m:jitter=0.2, "
        "stages:1s:10s:5m"),
    row("retry_budget", HOLDFAST_OPTION(retry.budget), 30,
        "Dead-letter a message that fails this long after its first failure; 0: no such bound")
        .within(Duration{0}, limits::kDelayMax),
    row("time_to_live", HOLDFAST_OPTION(expiry.time_to_live), 34,
        "Messages may be delivered for this long; 0: for ever")
        .with_flag("ttl")
        .within(Duration{0}, limits::kDelayMax),
    row("on_expiry", HOLDFAST_OPTION(expiry.policy), 35, "What becomes of messages whose time is over"),
    row("max_length", HOLDFAST_OPTION(limits.max_length), 36,
        "How many messages the queue may have; 0: any number"),
    row("on_overflow", HOLDFAST_OPTION(limits.on_overflow), 37,
        "What a send to a full queue does: be refused, or make room"),
    row("max_leased", HOLDFAST_OPTION(limits.max_leased), 38,
        "How many messages may be leased at a time; 0: any number"),
    row("max_bytes", HOLDFAST_OPTION(limits.max_bytes), 39,
        "How many bytes of bodies and attributes it may have; 0: any number")
        .as(Notation::kBytes),
    row("max_body_bytes", HOLDFAST_OPTION(limits.max_body_bytes), 40, "The largest body, 1 to 64Mi [1Mi]")
        .as(Notation::kBytes)
        .within(1, limits::kBodyBytesMax),
    row("journal", HOLDFAST_OPTION(journal), 42,
        "Remember where messages have been, for history. Keys: entries (of all messages; 0: off), keep"),
    row("tags", HOLDFAST_OPTION(tags), 31,
        "A name and a value to find the queue by; may be repeated; replaces all tags")
        .with_flag("tag"),
};

#undef HOLDFAST_OPTION

template <class T>
constexpr bool has_the_bounds_it_needs(const QueueOption<T>& option) {
  if constexpr (std::is_same_v<T, Duration>) return option.bounds.has_value();
  return true;
}
static_assert(std::apply([](const auto&... option) { return (has_the_bounds_it_needs(option) && ...); },
                         kRows),
              "a duration may be negative, or overflow a time: its row needs bounds");

// `kWords` has the words for the values of each enum that is the type of an option.
template <class Enum>
inline constexpr int kWords = 0;
template <>
inline constexpr Names<Durability, 2> kWords<Durability>{
    {{Durability::kFsync, "fsync"}, {Durability::kBuffered, "buffered"}}};
template <>
inline constexpr Names<Grouping, 3> kWords<Grouping>{
    {{Grouping::kNone, "none"}, {Grouping::kOrdered, "ordered"}, {Grouping::kFair, "fair"}}};
template <>
inline constexpr Names<Deduplication, 3> kWords<Deduplication>{
    {{Deduplication::kNone, "none"}, {Deduplication::kById, "id"}, {Deduplication::kByContent, "content"}}};
template <>
inline constexpr Names<ExpiryPolicy, 2> kWords<ExpiryPolicy>{
    {{ExpiryPolicy::kDeadLetter, "dead-letter"}, {ExpiryPolicy::kDrop, "drop"}}};
template <>
inline constexpr Names<OverflowPolicy, 3> kWords<OverflowPolicy>{
    {{OverflowPolicy::kRejectSend, "reject-send"},
     {OverflowPolicy::kDeadLetterHead, "dead-letter-head"},
     {OverflowPolicy::kDropHead, "drop-head"}}};

}  // namespace option_table

// Calls visit(QueueOption<T>) for each option, in the table's order.
template <class Visit>
constexpr void for_each_option(Visit&& visit) {
  std::apply([&](const auto&... option) { (visit(option), ...); }, option_table::kRows);
}

// An OptionEnum is an enum whose values have words.
template <class T>
concept OptionEnum =
    std::is_enum_v<T> && !std::is_same_v<std::remove_cv_t<decltype(option_table::kWords<T>)>, int>;

// Returns "unknown" for a value without a word.
template <OptionEnum T>
constexpr std::string_view to_string(T value) {
  return name_of(option_table::kWords<T>, value);
}

template <OptionEnum T>
constexpr bool is_known(T value) {
  for (const auto& [known, word] : option_table::kWords<T>) {
    if (known == value) return true;
  }
  return false;
}

// Returns `options` with what `changes` sets.
QueueOptions changed(QueueOptions options, const QueueChanges& changes);

// Returns the changes that turn `from` into `to`. An option that is equal in both is not among them.
QueueChanges changes_between(const QueueOptions& from, const QueueOptions& to);

// Returns the names of the options that differ: "max_deliveries, lease".
std::string names_of_different(const QueueOptions& one, const QueueOptions& other);

}  // namespace holdfast
