// Redriving: bringing dead letters back, or putting them aside, by tasks, which go on after a crash, may be
// limited in their rate, and can be watched and cancelled.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter_query.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/time.h"

namespace holdfast {

// Names a redrive task. Ids are never reused in a data directory.
enum class TaskId : std::uint64_t {};

enum class TaskState : std::uint8_t {
  kRunning = 1,
  kDone = 2,
  kCancelled = 3,     // somebody cancelled it; what it had moved stays moved
  kFailed = 4,        // TaskStatus::error says why
  kInterrupted = 5,   // its transform function ended with the process; start a new task for the rest
  kCanaryFailed = 6,  // too few canaries were acknowledged; the rest stays where it is
};

// Returns the name of the state: "running", "done" and so on. Names are stable, for logs, JSON and metrics.
std::string_view to_string(TaskState state);

// RedriveAction says what a redrive does with the dead letters that it selects. The numbers are stored.
enum class RedriveAction : std::uint8_t {
  kRedrive = 0,  // moves them back to the queues that they came from, or to RedriveOptions::to
  kPark = 1,     // moves them with their records to the parking queue, or to RedriveOptions::to
};

// Returns the name of the action: "redrive" or "park".
std::string_view to_string(RedriveAction action);
std::optional<RedriveAction> parse_redrive_action(std::string_view text);

// A RedriveValue is a value that a redrive can put into an attribute of each message that it moves.
enum class RedriveValue : std::uint8_t {
  kFromDlq = 1,  // the name of the dead letter queue that the message comes from
  kTime = 2,     // the time of the move, in UTC: 2026-03-01T09:30:00.412000Z
  kReplays = 3,  // the number of replays, this one included: 1 for the first
};

// Returns the name of the value: "from_dlq", "time" or "replays".
std::string_view to_string(RedriveValue value);
std::optional<RedriveValue> parse_redrive_value(std::string_view text);

// A ValueAttribute is an attribute that gets a RedriveValue.
struct ValueAttribute {
  std::string name;
  RedriveValue value = RedriveValue::kFromDlq;

  friend bool operator==(const ValueAttribute&, const ValueAttribute&) = default;
};

// A RedriveEdit says how a redrive edits the messages that it moves. An empty edit moves them byte for byte.
// The record keeps the message as it was before its first edit (DeadLetter::original). Edits are applied in
// this order: `body`, `json_patch`, `drop_attributes`, `set_attributes`, `value_attributes`.
struct RedriveEdit {
  // `json_patch` is a JSON Patch (RFC 6902): an array of operations, at most limits::kPatchBytes. A message
  // is skipped if its body is not JSON, if the patch does not fit it, or if patching it takes more than
  // limits::kPatchSteps. The patched body is written without white space. Numbers keep their values, though
  // 10.10 is written as 10.1; a number beyond the range of a double, such as 1e400, is not JSON here.
  std::string json_patch = {};
  // These attributes are set. Each replaces all attributes of its name.
  Attributes set_attributes = {};
  // Attributes with these names are removed: none empty, at most limits::kAttributes.
  std::vector<std::string> drop_attributes = {};
  // These attributes are set to values of the redrive. Each replaces all attributes of its name. At most
  // limits::kAttributes.
  std::vector<ValueAttribute> value_attributes = {};

  // This body moves instead of the message's own. At most limits::kBodyBytes, or twice the message's own.
  std::optional<std::string> body = {};

  bool empty() const { return *this == RedriveEdit{}; }
  friend bool operator==(const RedriveEdit&, const RedriveEdit&) = default;
};

struct RedriveOptions {
  RedriveAction action = RedriveAction::kRedrive;

  // --- which dead letters ---

  // Selects among the dead letters that are in the queue when the task starts. History is never redriven, and
  // abandoned dead letters only if the filter has that status, ids or seqs.
  DeadLetterFilter filter = {};
  std::uint64_t max = 0;  // the most dead letters to move, in the order in which they came; 0: all

  // --- conditions: a dead letter that a condition refuses stays, and is counted in LeftInPlace ---

  std::uint32_t max_replays = 0;    // refuse dead letters that were redriven this often already; 0: none
  bool park_refused = false;        // move those that max_replays refuses to the parking queue instead
  std::string unless_version = {};  // refuse dead letters that this version of the consumer failed on

  // --- where and how ---

  // `to` names the queue to move to. Empty: each message goes back to its source queue, or, of a park, to the
  // parking queue. A park refuses a queue with auto_redrive (kInvalidArgument).
  std::string to = {};
  // `rate` is in messages a second, at most limits::kRedriveRate. 0: no limit. A call that waits takes none.
  std::uint32_t rate = 0;
  RedriveEdit edit = {};

  // The task moves this many messages first, as canaries; at most limits::kCanary. It then waits, for as long
  // as it takes, and moves the rest once at least `canary_percent` of the canaries were acknowledged. It ends
  // as kCanaryFailed as soon as that has become impossible, since too many died again or are gone
  // (TaskStatus::canary_failed). Until then the records of the canaries stay, even if the queue keeps records
  // of replayed messages for less long. 0: there are no canaries, and all messages move at once. A call that
  // waits takes none.
  std::uint32_t canary = 0;
  std::uint32_t canary_percent = 100;  // 1..100

  // --- how the call answers ---

  // True: the call moves the messages itself, and answers once all are moved. False: it answers once the task
  // is on disk, and the task goes on in the background. A dry run always answers when it has counted all.
  bool wait = true;
  // True: the call moves nothing and starts no task; it counts what it would do now, and tries the edit too.
  bool dry_run = false;
  Redaction redact = {};  // what a dry run leaves out of Redriven::sample

  // --- whose call it is ---

  std::string actor = {};  // who asks, for TaskStatus::actor; at most limits::kActorBytes

  // Repeating a call with the same id and the same options starts nothing new: the call answers for the task
  // of the first call, whether either of them waits or not. This holds as long as the task is remembered
  // (Broker::redrive_status) and for limits::kRequestWindow after that, also after a restart. With other
  // options the call is refused (kInvalidArgument). A dry run does not look at the id. Any bytes, at most
  // limits::kRequestIdBytes; empty: none.
  std::string request_id = {};

  friend bool operator==(const RedriveOptions&, const RedriveOptions&) = default;
};

// LeftInPlace says how many dead letters a redrive did not move, by the reason. A dead letter with several
// reasons is counted for the first one.
struct LeftInPlace {
  std::uint64_t abandoned = 0;     // it is abandoned, and the filter has neither that status nor ids nor seqs
  std::uint64_t replay_limit = 0;  // it was redriven max_replays times already
  std::uint64_t version = 0;       // it failed on the version unless_version
  std::uint64_t edit = 0;          // the edit does not fit it, or the transform function refused it
  std::uint64_t no_queue = 0;      // its source queue, or the parking queue, is deleted
  std::uint64_t leased = 0;        // a consumer of the dead letter queue has it leased

  std::uint64_t total() const { return abandoned + replay_limit + version + edit + no_queue + leased; }
  friend bool operator==(const LeftInPlace&, const LeftInPlace&) = default;
};

// Returns a text for people, such as "10 abandoned, 2 over the replay limit"; empty if nothing was left.
std::string to_string(const LeftInPlace& left);

// Redriven says what a redrive did, or a dry run would do. Of a call that does not wait, the counts are those
// of the moment at which it answers: 0 unless it repeats an earlier call.
struct Redriven {
  TaskId task{};            // 0 for a dry run, which has no task
  std::uint64_t moved = 0;  // dead letters that were moved to where they came from, or to `to`
  // `parked` counts dead letters that a park moved, or that max_replays refused and that were parked.
  std::uint64_t parked = 0;
  LeftInPlace left = {};
  // A dry run shows the first few dead letters that `action` would move, at most limits::kDryRunSample. If
  // the options have an edit, those whose messages fit into limits::kDryRunBytes have the edited body and
  // attributes, and in `original` the present ones; the others have neither.
  std::vector<DeadLetter> sample = {};
};

// ReplayCounts says what became of messages that a redrive moved. An outcome is counted in the same atomic
// write as the ack or the death. Messages that are not counted here are pending (ReplayOutcome::kPending).
struct ReplayCounts {
  std::uint64_t acked = 0;
  std::uint64_t died_again = 0;      // died, and are dead letters in the queue that they were redriven from
  std::uint64_t died_elsewhere = 0;  // died, and are dead letters in another queue
  std::uint64_t dropped = 0;         // were deleted (ReplayOutcome::kDropped)

  std::uint64_t total() const { return acked + died_again + died_elsewhere + dropped; }
  friend bool operator==(const ReplayCounts&, const ReplayCounts&) = default;
};

struct TaskStatus {
  TaskId id{};
  RedriveAction action = RedriveAction::kRedrive;
  std::string queue;  // the queue that it moves dead letters from
  // The task moves them to this queue. Empty: each to its source queue, or, of a park, to the parking queue.
  std::string to;
  TaskState state = TaskState::kRunning;
  std::uint64_t moved = 0;
  std::uint64_t parked = 0;  // moved by a park, or refused by max_replays and parked
  LeftInPlace left = {};
  // The task had at most this many dead letters to look at when it started; an estimate if it has a filter.
  std::uint64_t total = 0;
  std::uint64_t canaries = 0;      // canaries that it has moved
  std::uint64_t canary_acked = 0;  // canaries that were acknowledged
  // This many canaries died again, were dropped, discarded, purged or deleted with their queue, or lost their
  // records.
  std::uint64_t canary_failed = 0;
  std::uint32_t rate = 0;  // the most messages that it moves in a second; 0: as many as possible
  // `outcomes` says what has happened to all messages that the task moved. The counts go on after its end. A
  // message that several tasks moved counts for the last of them.
  ReplayCounts outcomes = {};
  Timestamp started_at{};
  Timestamp finished_at{};        // the epoch while the task runs
  std::string actor;              // who started it
  std::string cancelled_by = {};  // who cancelled it; empty if nobody did, or did not say
  std::string error;              // for kFailed: why

  friend bool operator==(const TaskStatus&, const TaskStatus&) = default;
};

// A RedriveTransform is a function of the application that makes the message to send from a dead letter,
// which has its body and attributes. An error skips the dead letter. The engine calls the function on one of
// its threads, or on the caller's while a call waits, one call at a time for each task; changes of the
// queue's dead letters wait meanwhile. It calls again for a dead letter that could not move since there was
// no space. The function must not call the engine, and must not throw.
using RedriveTransform = std::function<Result<Message>(const DeadLetter&)>;

}  // namespace holdfast
