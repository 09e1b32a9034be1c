// Values with every field set.
#pragma once

#include <chrono>
#include <memory>

#include "engine/codec/dead_letters/attempts_codec.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/core/lane_state.h"
#include "holdfast/dead_letter.h"
#include "holdfast/message.h"

namespace holdfast::fuzz {

inline Timestamp sample_time() { return Timestamp(std::chrono::seconds(1'800'000'000)); }

inline MessageId sample_id(std::uint8_t number) {
  MessageId id;
  id.bytes[15] = number;
  return id;
}

inline Message sample_message() {
  return {.body = R"({"a":[1,{"b":null}]})",
          .attributes = {{"name", "value"}, {"empty", ""}},
          .group = "g",
          .priority = 2};
}

inline Failure sample_failure() {
  return {.category = "timeout",
          .reason = "took 31 s",
          .code = "E7",
          .stack_trace = "main\nwait",
          .causes = {{"E1", "outer"}, {"", "inner"}},
          .partial_output = "half"};
}

inline AttemptHistory sample_attempts() {
  return {.kept = {{.failed_at = sample_time(),
                    .end = AttemptEnd::kReleased,
                    .consumer = {"worker-1", "2.1"},
                    .held = std::chrono::milliseconds(1500),
                    .extended = 2,
                    .failure = sample_failure()},
                   {sample_time(), AttemptEnd::kLeaseExpired, {"worker-1", "2.1"}},
                   {sample_time(), AttemptEnd::kRejected, {}}},
          .left_out = 4};
}

inline AttemptNotes sample_notes() {
  return {.kept = {{.failed_at = sample_time(),
                    .end = AttemptEnd::kReleased,
                    .extended = 2,
                    .held_ms = 1500,
                    .consumer = {"worker-1", "2.1"}},
                   {.failed_at = sample_time(),
                    .end = AttemptEnd::kLeaseExpired,
                    .consumer = {"worker-1", "2.1"}},
                   {.failed_at = sample_time(), .end = AttemptEnd::kRejected}},
          .left_out = 4};
}

inline FailureHistory sample_history() {
  return {.deliveries = 3,
          .first_failed_at = sample_time(),
          .last_failed_at = sample_time(),
          .consumer = std::make_shared<const Consumer>(Consumer{"worker-1", "2.1"}),
          .attempts = std::make_shared<const AttemptNotes>(sample_notes()),
          .described = 5,
          .home = Seq{9}};
}

inline FailureRecord sample_record() {
  FailureRecord record;
  record.message_id = sample_id(1);
  record.source_queue_id = QueueId{4};
  record.source_queue = "orders";
  record.source_seq = Seq{9};
  record.sent_at = record.first_failed_at = record.last_failed_at = record.died_at = sample_time();
  record.cause = DeathCause::kRejected;
  record.category = "validation";
  record.reason = "no such customer";
  record.code = "E42";
  record.stack_trace = "a\nb";
  record.deliveries = 3;
  record.replays = 2;
  record.consumer = {"worker-1", "2.1"};
  record.correlation_id = "c-17";
  record.group = "g";
  record.priority = 2;
  record.workflow_version = "7";
  record.visits = 4;
  record.attempts = sample_attempts();
  record.causes = {{"E1", "outer"}, {"", ""}};
  record.partial_output = "half";
  record.fingerprint = Fingerprint{0xfedcba9876543210};
  record.first_death = {.cause = DeathCause::kExpired,
                        .category = "timeout",
                        .reason = "took 31 s",
                        .code = "E41",
                        .source_queue = "orders",
                        .died_at = sample_time(),
                        .fingerprint = Fingerprint{7}};
  return record;
}

inline DeadLetterRow sample_dead_letter_row() {
  return {.chunk_index = 3,
          .id = sample_id(2),
          .record = sample_record(),
          .triage = {.status = DeadLetterStatus::kAbandoned,
                     .status_since = sample_time(),
                     .assignee = "ann",
                     .notes = {{sample_time(), "ann", "looked"}},
                     .notes_dropped = 1,
                     .audit = {{sample_time(), "ann", "status new -> abandoned"}},
                     .audit_dropped = 2},
          .has_original = true};
}

}  // namespace holdfast::fuzz
