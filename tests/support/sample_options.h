// This header has options of a queue, each with another value than its default.
#pragma once

#include <chrono>

#include "holdfast/queue.h"

namespace holdfast::testing {

// Returns all options with values. No queue can be created with them, since some exclude each other.
inline QueueOptions sample_options() {
  using namespace std::chrono_literals;
  return {.lease = 9s,
          .delay = 1s,
          .durability = Durability::kBuffered,
          .retry = {.max_deliveries = 7,
                    .policy = {.kind = RetryKind::kStages,
                               .base = 1s,
                               .cap = 10min,
                               .jitter = 0.25,
                               .stages = {0s, 1s, 5min},
                               .to = ReturnTo::kTail},
                    .budget = 2h},
          .dead_letters = {.queue = "dead",
                           .routes = {{"a", "x"}, {"b", "y"}},
                           .discard_rejected = true,
                           .sources = {.allow = DeadLetterSources::Allow::kListed, .queues = {"p"}},
                           .direct_sends = true,
                           .parking_queue = "parked",
                           .searched_attributes = {"customer", "order"},
                           .auto_redrive = {.every = 1h,
                                            .max = 10,
                                            .categories = {"timeout"},
                                            .backoff = 2min,
                                            .backoff_max = 2h,
                                            .max_replays = 4,
                                            .give_up_after = 24h,
                                            .on_give_up = OnGiveUp::kArchive}},
          .expiry = {.time_to_live = 3h, .policy = ExpiryPolicy::kDrop},
          .limits = {.max_length = 1000,
                     .max_bytes = 1 << 20,
                     .on_overflow = OverflowPolicy::kDropHead,
                     .max_body_bytes = 1 << 10,
                     .max_leased = 5},
          .grouping = {.mode = Grouping::kFair, .require_group = true},
          .deduplication = {.mode = Deduplication::kByContent, .window = 1h},
          .priority = {.levels = 8, .aging = 1min},
          .retention = {.replayed = 0s, .abandoned = 17s, .unresolved = 5h},
          .alerts = {.depth = {.above = 1, .severity = AlertSeverity::kCritical, .fire_after = 1min},
                     .depth_high = {.above = 2, .clear_at = 1, .clear_after = 2min},
                     .depth_critical = {.above = 3, .severity = AlertSeverity::kWarning},
                     .arrivals = {.above = 4, .clear_at = 3},
                     .arrivals_for = 6min,
                     .oldest = {.above = 1h, .clear_at = 30min},
                     .unassigned = {.above = 2h, .fire_after = 3min}},
          .brake = {.deaths_per_minute = 10, .delay = 1min},
          .journal = {.max_entries = 5000, .keep = 4h},
          .tags = {{"team", "billing"}, {"empty", ""}}};
}

}  // namespace holdfast::testing
