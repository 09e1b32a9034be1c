@0xb6d1f0a27c93e415;

# Bringing dead letters back: tasks that are persisted, limited in rate and can be watched and cancelled.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Attribute = import "value.capnp".Attribute;
using DeadLetter = import "dead_letter.capnp".DeadLetter;
using DeadLetterFilter = import "dead_letter.capnp".DeadLetterFilter;
using Redaction = import "dead_letter.capnp".Redaction;

enum TaskState {
  unknown @0;
  # Never sent.

  running @1;
  done @2;

  cancelled @3;
  # What it had moved by then stays moved.

  failed @4;
  # TaskStatus.error says why.

  interrupted @5;
  # Of a task with a function of an embedding process, which ended.

  canaryFailed @6;
  # Too few of the first ones were acknowledged; the rest stays where it is.
}

enum RedriveValue {
  # What a redrive knows of each message that it moves.

  unknown @0;
  # Refused.

  fromDlq @1;
  # The name of the dead letter queue that it comes from.

  time @2;
  # When it is moved, in UTC: 2026-03-01T09:30:00.412000Z.

  replays @3;
  # How many replays it has with this one: 1 at the first.
}

struct ValueAttribute {
  name @0 :Text;
  value @1 :RedriveValue;
}

struct RedriveEdit {
  # What becomes of a message on the way. All empty: it is moved byte for byte.

  jsonPatch @0 :Text;
  # A JSON Patch (RFC 6902), applied to bodies that are JSON: an array of operations. A message that it does not fit is
  # skipped. Numbers keep their value. At most 64 KiB.

  setAttributes @1 :List(Attribute);
  # Each replaces all of that name.

  dropAttributes @2 :List(Text);
  # By name, before the others are set. At most 64.

  body :union {
    keep @3 :Void;
    replace @4 :Data;
    # Before the patch is applied. At most Limits.bodyBytes.
  }

  valueAttributes @5 :List(ValueAttribute);
  # Each replaces all of that name, after the others are set. At most 64.
}

struct RedriveOptions {
  filter @0 :DeadLetterFilter;
  # Which; history is never meant, and what was abandoned only if the filter has that status, ids or seqs.

  max @1 :UInt64;
  # At most this many, in the order they came; 0: no such bound.

  maxReplays @2 :UInt32;
  # Refuse what was redriven this often already: it stays. 0: no such bound.

  parkRefused @3 :Bool;
  # Move what maxReplays refuses to the queue's parking queue instead.

  unlessVersion @4 :Text;
  # Refuse what this version of the consumer failed on. Empty: no such gate.

  to @5 :Text;
  # The queue to move to; empty: each message to the queue it came from.

  rate @6 :UInt32;
  # Messages a second, at most 1000000; 0: as fast as it goes.

  edit @7 :RedriveEdit;

  actor @8 :Text;
  # Who asked, for the record. At most 128 bytes.

  canary @9 :UInt32;
  # Move this many first, and go on only if at least canaryPercent of them were acknowledged. At most 1000; 0: move all
  # at once. For startRedrive.

  canaryPercent @10 :UInt32 = 100;

  requestId @11 :Text;
  # A call that is repeated under the same id starts nothing new: it answers for the task of the first one. At most 64
  # bytes; empty: none.
}

struct RedriveRequest {
  queue @0 :Text;
  options @1 :RedriveOptions;
}

struct LeftInPlace {
  # What a redrive was asked to move and left where it is, by what kept it there: the first of these that holds.

  abandoned @0 :UInt64;
  # And not asked for by status or name.

  replayLimit @1 :UInt64;
  # Redriven maxReplays times already.

  version @2 :UInt64;
  # unlessVersion is what it failed on.

  edit @3 :UInt64;
  # The edit does not fit it.

  noQueue @4 :UInt64;
  # The queue that it came from, or its parking queue, is deleted.

  leased @5 :UInt64;
  # A consumer of the dead letter queue has it.
}

struct RedriveReply {
  union {
    error @0 :Error;
    ok :group {
      task @1 :UInt64;
      moved @2 :UInt64;

      parked @3 :UInt64;
      left @4 :LeftInPlace;
    }
  }
}

struct StartRedriveReply {
  union {
    error @0 :Error;
    task @1 :UInt64;
    # Never reused by this server.
  }
}

struct TaskRequest {
  task @0 :UInt64;
}

struct CancelRedriveRequest {
  task @0 :UInt64;

  actor @1 :Text;
  # Who asks, for the record. At most 128 bytes.
}

struct ReplayCounts {
  # What became of the messages that a redrive moved. The others are on their way, or nobody will know.

  acked @0 :UInt64;
  diedAgain @1 :UInt64;
  # And are dead letters again in the queue that they were redriven from.

  diedElsewhere @2 :UInt64;
  # And are dead letters in another queue.

  dropped @3 :UInt64;
  # They expired, made room or were rejected, and their queue drops or discards such messages.
}

struct TaskStatus {
  task @0 :UInt64;
  queue @1 :Text;
  to @2 :Text;
  state @3 :TaskState;
  moved @4 :UInt64;
  parked @5 :UInt64;
  left @6 :LeftInPlace;

  total @7 :UInt64;
  # At most this many when it started; an estimate where a filter narrows it.

  startedAtMicros @8 :Int64 $Json.time;
  finishedAtMicros @9 :Int64 $Json.time;
  # 0 while it runs.

  actor @10 :Text;
  error @11 :Text;
  # Of a failed one.

  canaries @12 :UInt64;
  # Moved first, and what became of them as far as is known.

  canaryAcked @13 :UInt64;
  canaryFailed @14 :UInt64;

  cancelledBy @15 :Text;
  # Empty: nobody cancelled it, or did not say who.

  outcomes @16 :ReplayCounts;
  # Of all that it moved, also after its end: each counts for the task that moved it last.

  rate @17 :UInt32;
  # The most that it moves in a second; 0: as fast as it can.
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

struct PreviewRedriveRequest {
  queue @0 :Text;
  options @1 :RedriveOptions;

  redact @2 :Redaction;
  # What the sample leaves out.
}

struct PreviewRedriveReply {
  union {
    error @0 :Error;
    ok :group {
      move @1 :UInt64;
      park @2 :UInt64;
      left @3 :LeftInPlace;

      sample @4 :List(DeadLetter);
      # The first few that would move, or of previewPark be parked, at most 10. Where there is an edit, those whose
      # messages fit into 1 MiB have body and attributes as the edit makes them, and in `original` as they are now; the
      # others have neither.
    }
  }
}
