@0xb6d1f0a27c93e415;

# Redriving: bringing dead letters back, or putting them aside, by tasks, which go on after a crash, may be limited in
# their rate, and can be watched and cancelled.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Http = import "http.capnp";
using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Attribute = import "value.capnp".Attribute;
using DeadLetter = import "dead_letter.capnp".DeadLetter;
using DeadLetterFilter = import "dead_letter.capnp".DeadLetterFilter;
using Redaction = import "dead_letter.capnp".Redaction;

interface RedriveCalls {
  # The calls that bring dead letters back or put them aside, and that watch the tasks which do so.

  redrive @0 RedriveRequest -> RedriveReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/redrive",
          summary = "Moves dead letters back to where they came from, parks them, or says what it would do",
          bodyField = "options");
  # Moves the dead letters that are in the queue now back to the queues that they came from, or parks them, by a task.
  # Fsynced. A server that is restarted finishes the rest. With dryRun it counts what it would do now, and changes
  # nothing. Errors before there is a task: queueNotFound, limitExceeded, messageNotFound (the filter names dead letters,
  # and none of them is there), diskFull, invalidArgument (a rate or a canary of a call that waits, for example; of a
  # park an edit, maxReplays, or no queue to park in). Errors once there is a task: outcomeUnknown, which names the task,
  # if its end cannot be waited for or if it has failed; closed from a server that stops meanwhile, if the call has a
  # request id. Repeating that call to the restarted server waits for the same task.

  redriveStatus @1 TaskRequest -> TaskReply
      $Http.route(get = "/v1/redrives/{task}", summary = "How far a redrive is");
  # Returns the state of a task. The last 100 tasks that have ended are remembered. Errors: taskNotFound.

  listRedrives @2 ListRedrivesRequest -> ListRedrivesReply
      $Http.route(get = "/v1/redrives", summary = "Redrives that run, and those that ended lately");
  # Returns all tasks that are remembered.

  cancelRedrive @3 CancelRedriveRequest -> TaskReply
      $Http.route(post = "/v1/redrives/{task}/cancel", summary = "Ends a redrive; what it has moved stays moved");
  # Ends a task; what it has moved stays moved. A task that has ended already stays as it is. Errors: taskNotFound,
  # limitExceeded.
}

enum TaskState {
  unknown @0;
  # Never sent.

  running @1;
  done @2;

  cancelled @3;
  # Somebody cancelled the task; what it had moved stays moved.

  failed @4;
  # TaskStatus.error says why.

  interrupted @5;
  # The task used a function of a process with an engine of its own, and that process ended.

  canaryFailed @6;
  # Too few canaries were acknowledged; the rest stays where it is.
}

enum RedriveAction {
  # RedriveAction says what a redrive does with the dead letters that it selects.

  redrive @0;
  # Moves them back to the queues that they came from, or to `to`: with the same id, body and attributes, the delivery
  # count reset and the replay count raised.

  park @1;
  # Moves them with their records to the parking queue, or to `to`, where nothing moves them by itself.
}

enum RedriveValue {
  # A value that a redrive can put into an attribute of each message that it moves.

  unknown @0;
  # Refused.

  fromDlq @1;
  # The name of the dead letter queue that the message comes from.

  time @2;
  # The time of the move, in UTC: 2026-03-01T09:30:00.412000Z.

  replays @3;
  # The number of replays, this one included: 1 for the first.
}

struct ValueAttribute {
  # An attribute that gets such a value.

  name @0 :Text;
  value @1 :RedriveValue;
}

struct RedriveEdit {
  # RedriveEdit says how a redrive edits the messages that it moves. An empty edit moves them byte for byte. Edits are
  # applied in this order: `body`, `jsonPatch`, `dropAttributes`, `setAttributes`, `valueAttributes`.

  jsonPatch @0 :Text;
  # A JSON Patch (RFC 6902): an array of operations, at most 64 KiB. A message whose body is not JSON, or that the patch
  # does not fit, is skipped. Numbers keep their values.

  setAttributes @1 :List(Attribute);
  # Attributes to set. Each replaces all attributes of its name.

  dropAttributes @2 :List(Text);
  # The names of attributes to remove. At most 64.

  body :union {
    keep @3 :Void;
    replace @4 :Data;
    # The body to move instead of the message's own. At most Limits.bodyBytes.
  }

  valueAttributes @5 :List(ValueAttribute);
  # Attributes to set to values of the redrive. Each replaces all attributes of its name. At most 64.
}

struct RedriveOptions {
  filter @0 :DeadLetterFilter;
  # Selects among the dead letters that are in the queue when the task starts. History is never redriven, and abandoned
  # dead letters only if the filter has that status, ids or seqs.

  max @1 :UInt64;
  # The most dead letters to move, in the order in which they came. 0: all.

  maxReplays @2 :UInt32;
  # Refuse dead letters that were redriven this often already: they stay. 0: refuse none.

  parkRefused @3 :Bool;
  # Move dead letters that maxReplays refuses to the parking queue instead.

  unlessVersion @4 :Text;
  # Refuse dead letters that this version of the consumer failed on: they stay. Empty: refuse none.

  to @5 :Text;
  # The queue to move to. Empty: each message goes back to its source queue, or, of a park, to the parking queue.

  rate @6 :UInt32;
  # Messages a second, at most 1,000,000. 0: as fast as possible. A call that waits takes none.

  edit @7 :RedriveEdit;

  actor @8 :Text;
  # `actor` says who asks, for TaskStatus.actor. At most 128 bytes.

  canary @9 :UInt32;
  # `canary` says how many messages move first. The rest moves once at least canaryPercent of these canaries were
  # acknowledged. At most 1000; 0: there are no canaries, and all messages move at once. A call that waits takes none.

  canaryPercent @10 :UInt32 = 100;
  # 1..100.

  requestId @11 :Text;
  # Repeating a call with the same id starts nothing new: the call answers for the task of the first call, whether either
  # of them waits or not. A dry run does not look at the id. At most 64 bytes; empty: none.

  action @12 :RedriveAction;

  wait @13 :Bool = true;
  # True: the call answers once all are moved. False: it answers once the task is on disk, and the task goes on in the
  # background.

  dryRun @14 :Bool;
  # Move nothing, and start no task: count what the call would do now, and try the edit too.

  redact @15 :Redaction;
  # `redact` says what a dry run leaves out of the sample.
}

struct RedriveRequest {
  queue @0 :Text;
  options @1 :RedriveOptions;
}

struct LeftInPlace {
  # LeftInPlace says how many dead letters a redrive did not move, by the reason. A dead letter with several reasons is
  # counted for the first one.

  abandoned @0 :UInt64;
  # It is abandoned, and the filter has neither that status nor ids nor seqs.

  replayLimit @1 :UInt64;
  # It was redriven maxReplays times already.

  version @2 :UInt64;
  # It failed on the version unlessVersion.

  edit @3 :UInt64;
  # The edit does not fit it.

  noQueue @4 :UInt64;
  # Its source queue, or the parking queue, is deleted.

  leased @5 :UInt64;
  # A consumer of the dead letter queue has it leased.
}

struct RedriveReply {
  union {
    error @0 :Error;
    ok :group {
      # Of a call that does not wait, the counts are those of the moment at which it answers: 0 unless it repeats an
      # earlier call. Of a dry run, they are what the call would do.

      task @1 :UInt64;
      # The id of the task. Ids are never reused in a data directory. 0: a dry run, which has no task.

      moved @2 :UInt64;
      # Dead letters that were moved to where they came from, or to `to`.

      parked @3 :UInt64;
      # Dead letters that a park moved, or that maxReplays refused and that were parked.

      left @4 :LeftInPlace;

      sample @5 :List(DeadLetter);
      # For a dry run: the first few dead letters that the action would move; at most 10. If the options have an edit,
      # those whose messages fit into 1 MiB have the edited body and attributes, and in `original` the present ones; the
      # others have neither.
    }
  }
}

struct TaskRequest {
  task @0 :UInt64;
}

struct CancelRedriveRequest {
  task @0 :UInt64;

  actor @1 :Text;
  # `actor` says who asks, for TaskStatus.cancelledBy. At most 128 bytes.
}

struct ReplayCounts {
  # ReplayCounts says what has happened to the messages that a redrive moved. Messages that are not counted here are
  # pending (ReplayOutcome).

  acked @0 :UInt64;
  diedAgain @1 :UInt64;
  # Died, and are dead letters in the queue that they were redriven from.

  diedElsewhere @2 :UInt64;
  # Died, and are dead letters in another queue.

  dropped @3 :UInt64;
  # Were deleted: they expired, made room or were rejected, and their queue drops or discards then.
}

struct TaskStatus {
  task @0 :UInt64;
  queue @1 :Text;
  # The queue that the task moves dead letters from.

  to @2 :Text;
  # The queue that it moves them to. Empty: each to its source queue, or, of a park, to the parking queue.

  state @3 :TaskState;
  moved @4 :UInt64;
  parked @5 :UInt64;
  # Moved by a park, or refused by maxReplays and parked.

  left @6 :LeftInPlace;

  total @7 :UInt64;
  # The most dead letters that the task had to look at when it started; an estimate if it has a filter.

  startedAtMicros @8 :Int64 $Json.time;
  finishedAtMicros @9 :Int64 $Json.time;
  # 0 while the task runs.

  actor @10 :Text;
  # `actor` says who started the task.

  error @11 :Text;
  # For failed: why.

  canaries @12 :UInt64;
  # Canaries that the task has moved.

  canaryAcked @13 :UInt64;
  # Canaries that were acknowledged.

  canaryFailed @14 :UInt64;
  # Canaries that died again, were dropped, discarded, purged or deleted with their queue, or whose records are gone.

  cancelledBy @15 :Text;
  # `cancelledBy` says who cancelled the task. Empty: nobody did, or did not say.

  outcomes @16 :ReplayCounts;
  # `outcomes` says what has happened to all messages that the task moved. The counts go on after the end of the task. A
  # message that several tasks moved counts for the last of them.

  rate @17 :UInt32;
  # The most messages that the task moves in a second. 0: as many as possible.

  action @18 :RedriveAction;
}

struct TaskReply {
  union {
    error @0 :Error;
    status @1 :TaskStatus;
  }
}

struct ListRedrivesRequest {}

struct ListRedrivesReply {
  union {
    error @0 :Error;
    tasks @1 :List(TaskStatus);
    # Oldest first.
  }
}
