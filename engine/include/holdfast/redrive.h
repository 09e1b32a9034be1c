// Bringing dead letters back: tasks that are persisted, limited in rate and can be watched and cancelled.
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

// Names a task. Never reused in a data directory.
enum class TaskId : std::uint64_t {};

enum class TaskState : std::uint8_t {
  kRunning = 1,
  kDone = 2,
  kCancelled = 3,     // what it had moved by then stays moved
  kFailed = 4,        // TaskStatus::error says why
  kInterrupted = 5,   // its transform function ended with the process: start it again for the rest
  kCanaryFailed = 6,  // too few of the first ones were acknowledged; the rest stays where it is
};

// "running", "done", ...: stable, for logs, JSON and metrics.
std::string_view to_string(TaskState state);

// What a redrive knows of each message that it moves.
enum class RedriveValue : std::uint8_t {
  kFromDlq = 1,  // the name of the dead letter queue that it comes from
  kTime = 2,     // when it is moved, in UTC: 2026-03-01T09:30:00.412000Z
  kReplays = 3,  // how many replays it has with this one: 1 at the first
};

// "from_dlq", "time", "replays".
std::string_view to_string(RedriveValue value);
std::optional<RedriveValue> parse_redrive_value(std::string_view text);

struct ValueAttribute {
  std::string name;
  RedriveValue value = RedriveValue::kFromDlq;

  friend bool operator==(const ValueAttribute&, const ValueAttribute&) = default;
};

// What becomes of a message on the way. All empty: it is moved byte for byte. How an edited message was
// before stays with its record: DeadLetter::original.
struct RedriveEdit {
  // A JSON Patch (RFC 6902), applied to bodies that are JSON: an array of operations. A message whose body is
  // not JSON, that the patch does not fit, or for which it takes more than limits::kPatchSteps, is skipped.
  // At most limits::kPatchBytes. The body is written anew, without white space; every number in it has the
  // value it had, though 10.10 is written as 10.1. One that is beyond the range of a double (1e400) is no
  // JSON here.
  std::string json_patch = {};
  Attributes set_attributes = {};                 // each replaces all of that name
  std::vector<std::string> drop_attributes = {};  // by name, not empty, before the others are set
  // Each replaces all of that name, after the others are set. At most limits::kAttributes.
  std::vector<ValueAttribute> value_attributes = {};

  // Replaces the body, before the patch is applied. At most limits::kBodyBytes.
  std::optional<std::string> body = {};

  bool empty() const { return *this == RedriveEdit{}; }
  friend bool operator==(const RedriveEdit&, const RedriveEdit&) = default;
};

struct RedriveOptions {
  // --- which: all that are dead in the queue when the task starts, unless narrowed ---
  // History is never meant, and what was abandoned only if the filter has that status, ids or seqs.
  DeadLetterFilter filter = {};
  std::uint64_t max = 0;  // at most this many, in the order they came; 0: no such bound

  // --- gates: what they refuse stays, and is counted in LeftInPlace ---
  std::uint32_t max_replays = 0;    // refuse what was redriven this often already; 0: no such bound
  bool park_refused = false;        // move what max_replays refuses to the queue's parking queue instead
  std::string unless_version = {};  // refuse what this version of the consumer failed on

  // --- where and how ---
  std::string to = {};     // the queue to move to; empty: each message to the queue it came from
  std::uint32_t rate = 0;  // messages a second, at most limits::kRedriveRate; 0: as fast as it goes
  RedriveEdit edit = {};
  // Moves this many first and waits for what becomes of them: goes on if at least `canary_percent` of them
  // were acknowledged, and ends as canary_failed as soon as that can't be: too many died again, or are gone
  // (TaskStatus::canary_failed). It waits as long as it takes. At most limits::kCanary; 0: moves all at once.
  // For start_redrive only, which need not wait for the end.
  std::uint32_t canary = 0;
  std::uint32_t canary_percent = 100;  // 1..100
  std::string actor = {};              // who asked, for the record; at most limits::kActorBytes

  // Repeating a call under the same id, with the same options, starts nothing new: it answers for the task
  // that the first one started, as long as that is remembered (see Broker::redrive_status) and for
  // limits::kRequestWindow after that, also after a restart. Any bytes, at most limits::kRequestIdBytes;
  // empty: none. kInvalidArgument if the first call was another one.
  std::string request_id = {};

  friend bool operator==(const RedriveOptions&, const RedriveOptions&) = default;
};

// What a redrive was asked to move and left where it is, by what kept it there. Each is counted once, by the
// first of these that holds of it.
struct LeftInPlace {
  std::uint64_t abandoned = 0;     // nobody is to redrive it, and it was not asked for by status or name
  std::uint64_t replay_limit = 0;  // redriven max_replays times already
  std::uint64_t version = 0;       // unless_version is the version that it failed on
  std::uint64_t edit = 0;          // the edit does not fit it, or the transform refused it
  std::uint64_t no_queue = 0;      // the queue that it came from, or its parking queue, is deleted
  std::uint64_t leased = 0;        // a consumer of the dead letter queue has it

  std::uint64_t total() const { return abandoned + replay_limit + version + edit + no_queue + leased; }
  friend bool operator==(const LeftInPlace&, const LeftInPlace&) = default;
};

// "10 abandoned, 2 over the replay limit"; empty if there are none.
std::string to_string(const LeftInPlace& left);

// What redrive did.
struct Redriven {
  TaskId task{};
  std::uint64_t moved = 0;
  std::uint64_t parked = 0;  // refused by a gate and moved to the parking queue
  LeftInPlace left = {};
};

// What became of the messages that a redrive moved, as it is written with the ack or the death itself. The
// others are on their way, or nobody will know: see ReplayOutcome::kPending.
struct ReplayCounts {
  std::uint64_t acked = 0;
  std::uint64_t died_again = 0;      // and are dead letters again in the queue that they were redriven from
  std::uint64_t died_elsewhere = 0;  // and are dead letters in another queue
  std::uint64_t dropped = 0;         // see ReplayOutcome::kDropped

  std::uint64_t total() const { return acked + died_again + died_elsewhere + dropped; }
  friend bool operator==(const ReplayCounts&, const ReplayCounts&) = default;
};

struct TaskStatus {
  TaskId id{};
  std::string queue;  // moves from here
  std::string to;     // empty: back to where each message came from
  TaskState state = TaskState::kRunning;
  std::uint64_t moved = 0;
  std::uint64_t parked = 0;
  LeftInPlace left = {};
  std::uint64_t total = 0;     // at most this many when it started; an estimate where a filter narrows it
  std::uint64_t canaries = 0;  // moved first, and what became of them as far as is known
  std::uint64_t canary_acked = 0;
  // Died again, were dropped, discarded, purged or deleted with their queue; or their records are gone.
  std::uint64_t canary_failed = 0;
  std::uint32_t rate = 0;  // the most that it moves in a second; 0: as fast as it can
  // Of all that it moved, also after its end: each counts for the task that moved it last.
  ReplayCounts outcomes = {};
  Timestamp started_at{};
  Timestamp finished_at{};        // the epoch while it runs
  std::string actor;              // who started it
  std::string cancelled_by = {};  // empty if nobody cancelled it, or did not say who they are
  std::string error;              // of a failed one

  friend bool operator==(const TaskStatus&, const TaskStatus&) = default;
};

// What redrive or park would do if it were called now.
struct RedrivePreview {
  std::uint64_t move = 0;
  std::uint64_t park = 0;
  LeftInPlace left = {};
  // The first few that would move, at most limits::kPreviewSample. Where there is an edit, those whose
  // messages fit into limits::kPreviewBytes have body and attributes as the edit makes them, and in
  // `original` as they are now; the others have neither.
  std::vector<DeadLetter> sample;
};

// Makes the message to send from a dead letter, with body and attributes filled in. An error skips the
// letter. Called on a thread of the engine, one at a time per task, without a lock held, and again for a
// letter that could not move for want of space; must not call the engine and not throw.
using RedriveTransform = std::function<Result<Message>(const DeadLetter&)>;

}  // namespace holdfast
