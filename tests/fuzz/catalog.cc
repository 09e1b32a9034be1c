// Rows of queues and of redrive tasks.
#include "codec/catalog_rows.h"
#include "fuzz/samples.h"
#include "fuzz/target.h"
#include "support/sample_task.h"

namespace holdfast::fuzz {

bool run_queue_definition(std::string_view input) {
  const bool definition = must_settle(input, decode_queue_definition, encode_queue_definition);
  const bool allocation = must_settle(input, decode_allocation_row, encode_allocation_row);
  return must_come_back(input, decode_format_row, encode_format_row) || definition || allocation;
}

std::vector<std::string> queue_definition_seeds() {
  using namespace std::chrono_literals;
  const QueueOptions all{.max_deliveries = 7,
                         .dead_letter_queue = "dead",
                         .parking_queue = "parked",
                         .auto_redrive = {.every = 1h,
                                          .max = 10,
                                          .categories = {"timeout"},
                                          .backoff = 1min,
                                          .backoff_max = 1h,
                                          .max_replays = 3,
                                          .max_lifetime = 24h},
                         .alerts = {.depth = 1, .depth_high = 2, .arrivals = 3, .oldest = 1h},
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
                         .keep_replayed = 0s,
                         .keep_abandoned = 17s};
  return {encode_queue_definition({"plain", sample_time(), {}}),
          encode_queue_definition({"all", sample_time(), all}),
          encode_queue_definition({"levels", sample_time(), {.priorities = 8, .priority_aging = 1min}}),
          encode_allocation_row({.next_queue_id = 2, .next_task_id = 3, .epoch = 4, .lease_salt = 5}),
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
  checkpoint.totals = {1, 2, 3, 4, 5, 6, 7};
  checkpoint.lanes = {{.next_seq = Seq{9}, .cursor = Seq{8}, .fresh = 7}};
  std::string row;
  encode_queue_checkpoint(checkpoint, row);
  return {row};
}

bool run_redrive_task(std::string_view input) {
  return must_settle(input, decode_redrive_task, encode_redrive_task);
}

std::vector<std::string> redrive_task_seeds() {
  return {encode_redrive_task({}), encode_redrive_task(testing::sample_redrive_task())};
}

}  // namespace holdfast::fuzz
