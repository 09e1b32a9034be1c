// Rows of queues and of redrive tasks.
#include "engine/codec/rows/catalog_rows.h"
#include "tests/fuzz/samples.h"
#include "tests/fuzz/target.h"
#include "tests/support/sample_task.h"

namespace holdfast::fuzz {

bool run_queue_definition(std::string_view input) {
  const bool definition = must_settle(input, decode_queue_definition, encode_queue_definition);
  const bool allocation = must_settle(input, decode_allocation_row, encode_allocation_row);
  return must_come_back(input, decode_format_row, encode_format_row) || definition || allocation;
}

namespace {

// Of kinds that exclude each other, too: a row is not checked for what may be declared.
QueueOptions sample_options() {
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
                           .max_lifetime = 24h,
                           .after_lifetime = AfterLifetime::kArchive},
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
          .lifetime = 2h,
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

}  // namespace

std::vector<std::string> queue_definition_seeds() {
  return {encode_queue_definition({"plain", sample_time(), {}}),
          encode_queue_definition({.name = "all",
                                   .created_at = sample_time(),
                                   .options = sample_options(),
                                   .paused = {.deliveries = true, .sends = true}}),
          encode_allocation_row(
              {.next_queue_id = 2, .next_task_id = 3, .epoch = 4, .lease_salt = 5, .next_family_id = 6}),
          encode_format_row(kFormatVersion)};
}

bool run_queue_checkpoint(std::string_view input) {
  return must_come_back(input, decode_queue_checkpoint, [](const QueueCheckpoint& checkpoint) {
    std::string row;
    encode_queue_checkpoint(checkpoint, row);
    return row;
  });
}

std::vector<std::string> queue_checkpoint_seeds() {
  QueueCheckpoint checkpoint;
  checkpoint.next_seq = Seq{1U << 20};
  checkpoint.cursor = Seq{3};
  checkpoint.fresh = 4;
  checkpoint.dead = 5;
  checkpoint.bytes = 6000;
  checkpoint.totals = {1, 2, 3, 4, 5, 6, 7};
  checkpoint.next_ticket = Ticket{8};
  checkpoint.scheduled = 9;
  checkpoint.scheduled_bytes = 1000;
  checkpoint.lanes = {{.next_seq = Seq{9}, .cursor = Seq{8}, .fresh = 7, .bytes = 600}};
  std::vector<std::string> seeds;
  encode_queue_checkpoint(checkpoint, seeds.emplace_back());
  checkpoint.totals.expired = 8;
  checkpoint.totals.overflowed = 9;
  checkpoint.next_expiry = sample_time();
  encode_queue_checkpoint(checkpoint, seeds.emplace_back());
  checkpoint.journal = {{.number = 1, .entries = 300, .started = sample_time(), .newest = sample_time()},
                        {.number = 2, .entries = 1, .started = sample_time(), .newest = sample_time()}};
  encode_queue_checkpoint(checkpoint, seeds.emplace_back());
  return seeds;
}

bool run_redrive_task(std::string_view input) {
  return must_settle(input, decode_redrive_task, encode_redrive_task);
}

std::vector<std::string> redrive_task_seeds() {
  return {encode_redrive_task({}), encode_redrive_task(testing::sample_redrive_task())};
}

}  // namespace holdfast::fuzz
