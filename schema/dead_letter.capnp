@0x8eea5f39fab5800f;

# Dead letters: why a message died, and bringing it back.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Error = import "error.capnp".Error;
using Attribute = import "message.capnp".Attribute;
using Consumer = import "message.capnp".Consumer;
using MessageId = import "message.capnp".MessageId;
using Rejection = import "message.capnp".Rejection;

enum DeathCause {
  unknown @0;
  # Never sent.

  maxDeliveries @1;
  # Delivered maxDeliveries times without an ack.

  rejected @2;
}

struct FailureRecord {
  messageId @0 :MessageId;
  sourceQueueId @1 :UInt64;
  sourceQueue @2 :Text;
  # Its name when the message died.

  sourceSeq @3 :UInt64;
  sentAtMicros @4 :Int64;
  cause @5 :DeathCause;

  rejection @6 :Rejection;
  # Empty texts where the consumer gave none.

  deliveries @7 :UInt32;
  # Charged, in its last life.

  replays @8 :UInt32;
  # How often it was redriven before this death.

  firstFailedAtMicros @9 :Int64;
  # Of its first failed delivery ever, earlier lives included.

  lastFailedAtMicros @10 :Int64;
  diedAtMicros @11 :Int64;

  consumer @12 :Consumer;
  # Who had it last.

  correlationId @13 :Data;
  # The value of the message's "correlation-id" attribute.

  group @14 :Data;
  # The message's.
}

struct DeadLetter {
  seq @0 :UInt64;
  # Its place in the dead letter queue.

  record @1 :FailureRecord;

  body @2 :Data;
  # This and the next only if bodies were asked for.

  attributes @3 :List(Attribute);
}

struct ListDeadLettersRequest {
  queue @0 :Text;

  start :union {
    oldest @1 :Void;
    after @2 :UInt64;
    # Continue after this seq: `next` of the page before.
  }

  max @3 :UInt32 = 100;
  # 1..Limits.listPage.

  category :union {
    any @4 :Void;
    only @5 :Text;
    # Empty: those without a category.
  }

  bodies @6 :Bool;
}

struct ListDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(DeadLetter);
      # Oldest first. May be fewer than `max` even if there are more: a page carries at most batchBytes of bodies and
      # attributes, but at least one dead letter if there is one.

      next :union {
        none @2 :Void;
        after @3 :UInt64;
        # There may be more.
      }
    }
  }
}

struct RedriveRequest {
  queue @0 :Text;

  category :union {
    any @1 :Void;
    only @2 :Text;
  }
}

struct RedriveReply {
  union {
    error @0 :Error;
    ok :group {
      moved @1 :UInt64;

      skipped @2 :UInt64;
      # Left in place: leased by a consumer of the dead letter queue, or their source queue is deleted.
    }
  }
}
