// Rows of queues and of redrive tasks.
#include "engine/codec/rows/catalog_rows.h"
#include "tests/fuzz/samples.h"
#include "tests/fuzz/target.h"
#include "tests/support/sample_options.h"
#include "tests/support/sample_task.h"

namespace holdfast::fuzz {

bool run_queue_definition(std::string_view input) {
  const bool definition = must_settle(input, decode_queue_definition, encode_queue_definition);
  const bool allocation = must_settle(input, decode_allocation_row, encode_allocation_row);
  return must_come_back(input, decode_format_row, encode_format_row) || definition || allocation;
}

std::vector<std::string> queue_definition_seeds() {
  return {encode_queue_definition({"plain", sample_time(), {}}),
          encode_queue_definition({.name = "all",
                                   .created_at = sample_time(),
                                   .options = testing::sample_options(),
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
  checkpoint.alerts = {{.rule = "depth", .since = sample_time(), .value = 101, .threshold = 100},
                       {.rule = "oldest", .since = sample_time(), .dead_letter = Seq{3}}};
  checkpoint.braked_until = sample_time();
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
