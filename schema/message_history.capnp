@0xd8c1e5b3974af206;

# Where a message has been.

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
  # What it does not have is empty.

  atMicros @0 :Int64 $Json.time;
  kind @1 :StepKind;
  queue @2 :Text;
  # Where it was.

  to @3 :Text;
  # The queue that it went to: deadLettered, redriven, parked.

  seq @4 :UInt64;
  deliveries @5 :UInt32;
  consumer @6 :Consumer;
  untilMicros @7 :Int64 $Json.time;
  # End of the lease, or of the delay or wait. 0: none.

  cause @8 :UInt16;
  # Of deadLettered, as in its failure record. 0: none.

  category @9 :Text;
  reason @10 :Text;
}

struct MessageHistoryRequest {
  id @0 :MessageId;
}

struct MessageHistoryReply {
  union {
    error @0 :Error;
    ok :group {
      steps @1 :List(HistoryStep);
      # In the order in which they happened. At most 10000, the last ones.

      truncated @2 :Bool;
    }
  }
}
