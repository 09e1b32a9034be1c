@0xc2d5b7f0a9e14d63;

# Looking at the messages of a queue without receiving them.

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
  # For the end of a delay, or on its way out of the queue.

  leased @3;
}

struct ScheduledPlace $Json.opaque {
  # Where a message lies that waits outside the log.

  dueMicros @0 :Int64 $Json.time;
  row @1 :UInt64;
  index @2 :UInt32;
}

struct PeekRequest {
  queue @0 :Text;

  start :union {
    oldest @1 :Void;
    from @2 :UInt64;
    # At this place or the next after it: `next` of the page before. Not with `scheduled`.

    fromScheduled @8 :ScheduledPlace;
    # At this place among those that wait, or the next after it. Only with `scheduled`.
  }

  id :union {
    any @3 :Void;
    only @4 :MessageId;
  }

  max @5 :UInt32 = 100;
  # 1..Limits.listPage.

  bodies @6 :Bool;

  scheduled @7 :Bool;
  # The messages that wait outside the log, sent with a delay or released with a long wait, in the order in which
  # they are due.

  redact @9 :Redaction;
}

struct PeekedMessage {
  seq @0 :UInt64;
  id @1 :MessageId;
  state @2 :MessageState;
  sentAtMicros @3 :Int64 $Json.time;

  due :union {
    none @4 :Void;
    micros @5 :Int64 $Json.time;
    # When its delay or its lease ends.
  }
  expiresAt :union {
    never @6 :Void;
    micros @7 :Int64 $Json.time;
  }

  deliveries @8 :UInt32;
  # Charged so far.

  replays @9 :UInt32;

  body @10 :Data;
  # This and the next only if bodies were asked for.

  attributes @11 :List(Attribute);

  scheduled :union {
    no @12 :Void;
    place @13 :ScheduledPlace;
    # It waits outside the log: `seq` says nothing.
  }

  redacted @14 :List(Text);
  # What was taken out: "body", "attribute card".
}

struct PeekReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(PeekedMessage);
      # In the order of their places. May be fewer than `max`, even none, though there are more: a page ends after
      # 10000 messages were looked at, or near batchBytes of bodies and attributes.

      next :union {
        none @2 :Void;
        from @3 :UInt64;
        # There may be more.

        fromScheduled @4 :ScheduledPlace;
        # The same, of scheduled ones.
      }
    }
  }
}
