// The fuzz target of the store's keys: a key that parses comes back byte for byte.
#include "engine/codec/encoding/keys.h"

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/arrivals_row.h"
#include "tests/fuzz/samples.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {

bool run_keys(std::string_view input) {
  bool parsed = false;
  if (const auto place = keys::parse_queue_seq(input)) {
    parsed = true;
    require(keys::queue_seq(place->queue, place->seq) == input, "a key of a seq does not come back");
    require(keys::parse_queue(input) == place->queue, "a key has two queues");
    const auto letter = keys::parse_dead_letter(input);  // none: the outcome of a redriven one
    require(!letter || keys::dead_letter(place->queue, *letter) == input,
            "a key of a dead letter does not come back");
  }
  if (const auto place = keys::parse_scheduled(input)) {
    parsed = true;
    require(keys::scheduled(keys::parse_queue(input).value(), *place) == input,
            "a key of a scheduled message does not come back");
  }
  if (const auto bucket = keys::parse_dedup_bucket(input)) {
    parsed = true;
    require(keys::dedup(keys::parse_queue(input).value(), *bucket, input.substr(16)) == input,
            "a key of a deduplication id does not come back");
  }
  if (const auto task = keys::parse_task(input)) {
    parsed = true;
    require(keys::task(*task) == input, "a key of a task does not come back");
  }
  if (const auto task = keys::parse_task_outcomes(input)) {
    parsed = true;
    require(keys::task_outcomes(*task) == input, "a key of a task's outcomes does not come back");
  }
  if (const auto queue = keys::parse_queue_row(input); queue && input.front() == 'Q') {
    parsed = true;
    require(keys::queue_definition(*queue) == input, "a key of a queue does not come back");
  }
  if (const auto queue = keys::parse_queue_row(input); queue && input.front() == 'S') {
    parsed = true;
    require(keys::queue_checkpoint(*queue) == input, "a key of a checkpoint does not come back");
  }
  if (const auto arrivals = keys::parse_arrivals(input)) {
    parsed = true;
    require(keys::arrivals(arrivals->queue, arrivals->hour) == input, "a key of arrivals does not come back");
  }
  if (const auto place = keys::parse_expiry(input)) {
    parsed = true;
    require(keys::expiry(keys::parse_queue(input).value(), place->expires_at, place->first) == input,
            "a key of an expiry does not come back");
  }
  if (const auto place = keys::parse_failure(input)) {
    parsed = true;
    require(keys::failure(keys::parse_queue(input).value(), *place) == input,
            "a key of a failure does not come back");
  }
  if (const auto family = keys::parse_family_row(input); family && input.front() == 'P') {
    parsed = true;
    require(keys::family_definition(*family) == input, "a key of a family does not come back");
  }
  if (const auto step = keys::parse_journal(input)) {
    parsed = true;
    require(keys::journal(step->queue, step->bucket, step->message, step->order) == input,
            "a key of a journal does not come back");
  }
  parsed |= keys::parse_request_bucket(input).has_value();
  const bool of_index = keys::parse_posting(input) || keys::parse_last_seq(input) || keys::parse_count(input);
  return parsed || of_index;
}

std::vector<std::string> key_seeds() {
  const QueueId queue{7};
  return {keys::queue_seq(queue, Seq{9}),
          keys::dead_letter(queue, {.history = true, .seq = Seq{9}}),
          keys::outcome(queue, Seq{9}),
          keys::original(queue, Seq{9}),
          keys::scheduled(queue, {sample_time(), Ticket{3}}),
          keys::dedup(queue, sample_time(), "0123456789abcdef"),
          keys::task(TaskId{5}),
          keys::task_outcomes(TaskId{5}),
          keys::queue_definition(queue),
          keys::queue_checkpoint(queue),
          keys::arrivals(queue, 11),
          keys::posting(queue, IndexKind::kCategory, "timeout", {false, sample_time(), Seq{9}}),
          keys::posting(queue, IndexKind::kRetention, index_value(DeadLetterStatus::kAbandoned),
                        {true, sample_time(), Seq{9}}),
          keys::expiry(queue, sample_time(), Seq{9}),
          keys::failure(queue, {Seq{9}, 4}),
          keys::family_definition(FamilyId{300}),
          keys::journal(queue, 4, sample_id(1), 2),
          keys::request(5, 0, "call 1"),
          keys::id_row(queue, sample_id(1), Seq{9}),
          keys::count(queue, IndexKind::kCategory, "timeout"),
          keys::count(queue, IndexKind::kAll, minute_value(sample_time()))};
}

}  // namespace holdfast::fuzz
