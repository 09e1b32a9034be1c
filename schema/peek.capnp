@0xc2d5b7f0a9e14d63;

# Peeking: looking at the messages of a queue without receiving them.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Attribute = import "value.capnp".Attribute;
using MessageId = import "value.capnp".MessageId;
using Redaction = import "dead_letter.capnp".Redaction;

enum MessageState {
  unknown @0;
  # Never sent.

  ready @1;
  waiting @2;
  # The message waits for the end of a delay, or is exhausted: about to leave the queue.

  leased @3;
}

struct ScheduledPlace $Json.opaque {
  # The place of a message that waits outside the log.

  dueMicros @0 :Int64 $Json.time;
  row @1 :UInt64;
  # Tells rows with the same due time apart.

  index @2 :UInt32;
  # The place within the row.
}

struct PeekRequest {
  queue @0 :Text;

  start :union {
    oldest @1 :Void;
    from @2 :UInt64 $Json.place;
    # At this place in the log, or at the next one that has a message: `next` of the previous page. Refused together
    # with `scheduled`.

    fromScheduled @8 :ScheduledPlace;
    # At this place among the messages outside the log, or at the next one that has a message. Refused without
    # `scheduled`.
  }

  id :union {
    any @3 :Void;
    only @4 :MessageId;
  }

  max @5 :UInt32 = 100;
  # 1..Limits.listPage.

  bodies @6 :Bool;
  # Fill in bodies and attributes.

  scheduled @7 :Bool;
  # True: show the messages that wait outside the log, in the order in which they are due. These were sent with a delay
  # or for a time of day, or were released with a wait of more than a minute.

  redact @9 :Redaction;
}

struct PeekedMessage {
  seq @0 :UInt64 $Json.place;
  id @1 :MessageId;
  state @2 :MessageState;
  sentAtMicros @3 :Int64 $Json.time;

  due :union {
    none @4 :Void;
    micros @5 :Int64 $Json.time;
    # `micros` says when its delay or its lease ends.
  }
  expiresAt :union {
    never @6 :Void;
    micros @7 :Int64 $Json.time;
  }

  deliveries @8 :UInt32;
  # Deliveries charged so far.

  replays @9 :UInt32;

  body @10 :Data;
  # Filled in only if the request asked for bodies.

  attributes @11 :List(Attribute);
  # Filled in only if the request asked for bodies.

  scheduled :union {
    no @12 :Void;
    place @13 :ScheduledPlace;
    # The message waits outside the log, and `seq` has no meaning.
  }

  redacted @14 :List(Text);
  # `redacted` says what was left out: "body", "attribute card".
}

struct PeekReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(PeekedMessage);
      # In the order of their places. There may be fewer than `max`, or none, even if there are more: a page ends after
      # 10,000 messages were looked at, or near Limits.batchBytes of bodies and attributes.

      next :union {
        none @2 :Void;
        from @3 :UInt64 $Json.place;
        # There may be more in the log; continue at this place.

        fromScheduled @4 :ScheduledPlace;
        # There may be more outside the log; continue at this place.
      }
    }
  }
}
