// A redrive task that has something in each of its fields.
#pragma once

#include "engine/codec/rows/redrive_task.h"

namespace holdfast::testing {

inline RedriveTask sample_redrive_task() {
  RedriveTask task;
  task.queue = QueueId{1};
  task.queue_name = "dlq";
  task.target = QueueId{9};
  task.cursor = Seq{2};
  task.end = Seq{3};
  task.options = {.action = RedriveAction::kPark,
                  .filter = {.ids = {MessageId{{1, 2}}},
                             .seqs = {Seq{1}, Seq{70000}},
                             .died_from = Timestamp{},
                             .died_before = Timestamp(Duration(5)),
                             .cause = DeathCause::kRejected,
                             .category = "",
                             .code = "c",
                             .fingerprint = Fingerprint{6},
                             .source = "s",
                             .consumer_version = "v",
                             .status = DeadLetterStatus::kFixed,
                             .assignee = "a",
                             .reason = "r",
                             .correlation_id = "",
                             .workflow_version = "12",
                             .min_replays = 3,
                             .attributes = {{"customer", "4711"}, {"type", ""}},
                             .body = "b"},
                  .max = 4,
                  .max_replays = 5,
                  .park_refused = true,
                  .unless_version = "2.1",
                  .to = "parked",
                  .rate = 6,
                  .edit = {.json_patch = "[]",
                           .set_attributes = {{"a", ""}, {"b", "c"}},
                           .drop_attributes = {"d"},
                           .value_attributes = {{"e", RedriveValue::kTime}, {"f", RedriveValue::kReplays}},
                           .body = ""},
                  .canary = 7,
                  .canary_percent = 50,
                  .actor = "ada",
                  .request_id = "r1"};
  task.canaries = {Seq{1}, Seq{300}};
  task.canaries_lost = {Seq{300}};
  task.canary_passed = true;
  task.canary_acked = 1;
  task.canary_failed = 2;
  task.transforms = true;
  task.state = TaskState::kFailed;
  task.moved = 7;
  task.left = {.abandoned = 13, .replay_limit = 14, .version = 15, .edit = 16, .no_queue = 17, .leased = 18};
  task.parked = 9;
  task.total = 10;
  task.started_at = Timestamp(Duration(11));
  task.finished_at = Timestamp(Duration(12));
  task.error = "why";
  task.cancelled_by = "bob";
  return task;
}

}  // namespace holdfast::testing
