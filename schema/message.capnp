@0xceed7124701b9ddd;

# Sending, receiving and settling messages.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using FailedEntry = import "error.capnp".FailedEntry;
using FailureRecord = import "dead_letter.capnp".FailureRecord;
using MessageId = import "value.capnp".MessageId;
using Attribute = import "value.capnp".Attribute;
using Consumer = import "value.capnp".Consumer;
using Rejection = import "value.capnp".Rejection;

enum Durability {
  queueDefault @0;
  # In a request: what the queue says. Never in a reply, nor in a queue's options.

  fsync @1;
  # On disk: survives a power loss.

  buffered @2;
  # In the operating system: survives the process, not the machine.
}

struct Message {
  body @0 :Data;
  attributes @1 :List(Attribute);
  # At most 64, of 64 KiB together. Order and duplicates are kept. "correlation-id" is copied into failure records.

  delay :union {
    queueDefault @2 :Void;
    micros @3 :Int64;
    # Not to be handed out for so long. 0..10 years.
  }
  visibleAt :union {
    notSaid @4 :Void;
    micros @5 :Int64 $Json.time;
    # Not to be handed out before; a past time is now. At most 10 years ahead. Not beside a delay.
  }

  group @6 :Data;
  # Its message group, of meaning on queues with grouping. At most 128 bytes.

  deduplicationId @7 :Data;
  # Names this send on queues with deduplication. At most 128 bytes.

  priority @8 :UInt32;
  # 0, the lowest, up to the queue's priorities less 1.

  timeToLive :union {
    queueDefault @9 :Void;
    micros @10 :Int64;
    # How long it may be handed out from then on; the queue's time to live counts too, the shorter of the two.
  }
}

struct SendRequest {
  queue @0 :Text;
  messages @1 :List(Message);
  durability @2 :Durability;

  requestId @3 :Text;
  # See the conventions in holdfast.capnp. At most 64 bytes; empty: none.
}

struct SendReply {
  union {
    error @0 :Error;
    ok :group {
      ids @1 :List(MessageId);
      # One for each entry of the request, in its order. Of no meaning where the entry failed.

      durability @2 :Durability;
      # The weakest that any entry got; fsync even if buffered was asked, when the write shared an fsync with others.

      failed @3 :List(FailedEntry);

      duplicates @4 :List(UInt32);
      # The entries, counted from 0, that were sent before: their ids are those of the first ones.
    }
  }
}

struct Receipt {
  # Names one delivery of one message. A receipt whose delivery is over never settles anything. Valid across restarts of
  # the server. Opaque: do not make one up.

  queue @0 :UInt64;
  seq @1 :UInt64;
  lease @2 :UInt64;
}

struct ReceiveRequest {
  queue @0 :Text;

  max @1 :UInt32 = 1;
  # 1..Limits.receiveMax.

  lease :union {
    queueDefault @2 :Void;
    micros @3 :Int64;
    # 1 ms..12 h.
  }

  waitMicros @4 :Int64;
  # Wait for a message, at most this long. 0..Limits.waitMicros.

  consumer @5 :Consumer;

  prefetch @6 :Bool;
  # The deliveries are not charged until startBatch. One that is never started goes back to its place uncharged.
}

struct Delivery {
  receipt @0 :Receipt;
  id @1 :MessageId;
  body @2 :Data;
  attributes @3 :List(Attribute);
  sentAtMicros @4 :Int64 $Json.time;
  # When the message was first enqueued; kept through redrive.

  leaseExpiresAtMicros @5 :Int64 $Json.time;
  # By the server's time.

  deliveries @6 :UInt32 = 1;
  # How often it was handed out and charged, this time included.

  replays @7 :UInt32;
  # How often it was redriven.

  group @8 :Data;
  priority @9 :UInt32;

  leaseLeftMicros @10 :Int64;
  # Of the lease, when the server handed it out: for those whose clock is another one.

  failure @11 :FailureRecord;
  # Of a dead letter: why it died. Null: it is none.
}

struct ReceiveReply {
  union {
    error @0 :Error;
    deliveries @1 :List(Delivery);
  }
}

struct AckRequest {
  receipts @0 :List(Receipt);
  durability @1 :Durability;
  requestId @2 :Text;

  actor @3 :Text;
  # Of dead letters: who did it, for the audit of their records. Empty: the consumer's instance.
}

struct ExtendRequest {
  receipts @0 :List(Receipt);

  leaseMicros @1 :Int64;
  # 1 ms..12 h.

  letsRunOut @2 :Rejection;
  # The consumer lets the lease run out, and says why: the delivery then fails with this. What settles it before that
  # counts instead. Empty: it says nothing.
}

enum ReturnTo {
  # Where a message goes that comes back.

  head @0;
  # To its place: before all that was never handed out.

  tail @1;
  # Behind all messages that are in the queue when its wait is over. Not on ordered queues, not of dead letters.
}

struct ReleaseRequest {
  receipts @0 :List(Receipt);

  delay :union {
    queuePolicy @1 :Void;
    # The queue's retry policy if the delivery is charged, at once if not.

    micros @2 :Int64;
    # Hand out again after this long. 0..10 years.
  }

  count @3 :Bool = true;
  # False: this delivery is not charged.

  to :union {
    queuePolicy @4 :Void;
    # Where the queue's retry policy says if the delivery is charged, to the head if not.

    set @5 :ReturnTo;
  }

  failure @6 :Rejection;
  # Why the delivery failed. Only with count. Empty: the consumer does not say.
}

struct StartRequest {
  receipts @0 :List(Receipt);
}

struct RejectRequest {
  receipts @0 :List(Receipt);
  rejection @1 :Rejection;
  durability @2 :Durability;
  requestId @3 :Text;
}

struct SettleReply {
  union {
    error @0 :Error;
    failed @1 :List(FailedEntry);
  }
}
