// Options of a queue, each with another value than its default.
#pragma once

#include <chrono>

#include "holdfast/queue.h"

namespace holdfast::testing {

// Returns all options with values. No queue can be created with them, since some exclude each other.
inline QueueOptions sample_options() {
  using namespace std::chrono_literals;
  return {.max_deliveries = 7,
          .dead_letter_queue = "dead",
          .parking_queue = "parked",
          .auto_redrive = {.every = 1h,
                           .max = 10,
                           .categories = {"timeout"},
                           .backoff = 2min,
                           .backoff_max = 2h,
                           .max_replays = 4,
                           .give_up_after = 24h,
                           .on_give_up = OnGiveUp::kArchive},
          .alerts = {.depth = {.above = 1, .severity = AlertSeverity::kCritical, .fire_after = 1min},
                     .depth_high = {.above = 2, .clear_at = 1, .clear_after = 2min},
                     .depth_critical = {.above = 3, .severity = AlertSeverity::kWarning},
                     .arrivals = {.above = 4, .clear_at = 3},
                     .arrivals_for = 6min,
                     .oldest = {.above = 1h, .clear_at = 30min},
                     .unassigned = {.above = 2h, .fire_after = 3min}},
          .brake = {.deaths_per_minute = 10, .delay = 1min},
          .lease = 9s,
          .durability = Durability::kBuffered,
          .discard_rejected = true,
          .delay = 1s,
          .grouping = Grouping::kFair,
          .require_group = true,
          .deduplication = Deduplication::kByContent,
          .deduplication_window = 1h,
          .dead_letter_routes = {{"a", "x"}, {"b", "y"}},
          .dead_letter_sources = {.allow = DeadLetterSources::Allow::kListed, .queues = {"p"}},
          .searched_attributes = {"customer", "order"},
          .keep_replayed = 0s,
          .keep_abandoned = 17s,
          .keep_unresolved = 5h,
          .direct_sends = true,
          .priorities = 8,
          .priority_aging = 1min,
          .retry = {.kind = RetryKind::kStages,
                    .base = 1s,
                    .cap = 10min,
                    .jitter = 0.25,
                    .stages = {0s, 1s, 5min},
                    .to = ReturnTo::kTail},
          .retry_budget = 2h,
          .time_to_live = 3h,
          .on_expiry = ExpiryPolicy::kDrop,
          .max_length = 1000,
          .max_bytes = 1 << 20,
          .on_overflow = OverflowPolicy::kDropHead,
          .max_body_bytes = 1 << 10,
          .max_leased = 5,
          .journal = {.max_entries = 5000, .keep = 4h},
          .tags = {{"team", "billing"}, {"empty", ""}}};
}

}  // namespace holdfast::testing
