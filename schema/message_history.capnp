@0xd8c1e5b3974af206;

# Message histories: where a message has been.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using MessageId = import "value.capnp".MessageId;
using Consumer = import "value.capnp".Consumer;

enum StepKind {
  unknown @0;
  # Never sent.

  sent @1;
  delivered @2;
  extended @3;
  released @4;
  leaseExpired @5;
  acked @6;
  deadLettered @7;
  redriven @8;
  parked @9;
  discarded @10;
  expired @11;
  overflowed @12;
  started @13;
  purged @14;
  imported @15;
  archived @16;
}

struct HistoryStep {
  # One thing that happened to a message. A field that the step does not have is empty.

  atMicros @0 :Int64 $Json.time;
  kind @1 :StepKind;
  queue @2 :Text;
  # The queue that the message was in.

  to @3 :Text;
  # For deadLettered, redriven and parked: the queue that it went to.

  seq @4 :UInt64 $Json.place;
  # The place of the message in the queue. 0 if it was outside the log.

  deliveries @5 :UInt32;
  # Deliveries charged so far.

  consumer @6 :Consumer;
  # For delivered.

  untilMicros @7 :Int64 $Json.time;
  # The end of the lease, delay or wait. 0: there is none.

  cause @8 :UInt16;
  # For deadLettered: the number of the DeathCause. 0: there is none.

  category @9 :Text;
  # For deadLettered.

  reason @10 :Text;
  # For deadLettered. Cut to 256 bytes.
}

struct MessageHistoryRequest {
  id @0 :MessageId;
}

struct MessageHistoryReply {
  union {
    error @0 :Error;
    ok :group {
      steps @1 :List(HistoryStep);
      # In the order in which they happened. If there are more than 10,000, these are the last ones.

      truncated @2 :Bool;
      # True: there are more than 10,000 steps.
    }
  }
}
