@0xceed7124701b9ddd;

# Sending, receiving and settling messages.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Http = import "http.capnp";
using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using FailedEntry = import "error.capnp".FailedEntry;
using FailureRecord = import "dead_letter.capnp".FailureRecord;
using MessageId = import "value.capnp".MessageId;
using Attribute = import "value.capnp".Attribute;
using Consumer = import "value.capnp".Consumer;
using Rejection = import "value.capnp".Rejection;
using Peek = import "peek.capnp";
using History = import "message_history.capnp";

interface MessageCalls {
  # The calls that send, receive, settle and look at messages.

  sendBatch @0 SendRequest -> SendReply
      $Http.route(post = "/v1/queues/{queue}/messages", summary = "Sends the body as one message", kind = sendRaw,
          success = 201)
      $Http.route(post = "/v1/queues/{queue}/messages/batch", summary = "Sends several messages", kind = sendBatch,
          success = 201);
  # Appends messages to a queue. Errors of the call: queueNotFound, queuePaused, limitExceeded (batchEntries,
  # batchBytes), diskFull. Errors of an entry: limitExceeded, invalidArgument, queueFull.

  receive @1 ReceiveRequest -> ReceiveReply
      $Http.route(post = "/v1/queues/{queue}/deliveries", summary = "Receives messages: each is leased to the caller",
          kind = receive)
      $Http.route(post = "/v1/queues/{queue}/deliveries/stream",
          summary = "Receives messages as server-sent events, for as long as the client listens: up to `max` are in its hands at a time",
          kind = stream);
  # Hands out up to `max` messages, oldest first, each leased to the caller. Each delivery is counted (buffered) before
  # the server replies. So it is charged even if the reply is lost; then the messages come back when their leases run
  # out. An empty list says that there was no message, even after `waitMicros`. A reply has at most Limits.batchBytes of
  # bodies and attributes, but at least one message if there is one. A message that cannot be read is passed over: it
  # stays, uncharged, and is tried again a second later. corruption and storageFailed say that nothing could be read and
  # that nothing is leased. Errors: queueNotFound, invalidArgument, limitExceeded.

  ackBatch @2 AckRequest -> SettleReply
      $Http.route(post = "/v1/deliveries/ack", summary = "Done: the messages are gone")
      $Http.route(delete = "/v1/deliveries/{receipt}", summary = "Done: the message is gone", kind = settleOne,
          success = 204)
      $Http.route(post = "/v1/deliveries/{receipt}/ack", summary = "Done: the message is gone", kind = settleOne,
          success = 204);
  # The work is done: the messages are deleted. Errors of an entry: receiptStale, messageNotFound, queueNotFound.

  extendBatch @3 ExtendRequest -> SettleReply
      $Http.route(post = "/v1/deliveries/extend", summary = "The leases end so long from now")
      $Http.route(post = "/v1/deliveries/{receipt}/extend", summary = "The lease ends so long from now",
          kind = settleOne, success = 204);
  # The leases now end `leaseMicros` from now. Buffered. Errors of the call: invalidArgument. Errors of an entry: those
  # of ackBatch.

  startBatch @4 StartRequest -> SettleReply
      $Http.route(post = "/v1/deliveries/start",
          summary = "Charges deliveries that were received without being charged")
      $Http.route(post = "/v1/deliveries/{receipt}/start", summary = "Charges the delivery", kind = settleOne,
          success = 204);
  # Work on prefetched deliveries starts: charges them, and renews their leases. Buffered. Starting a delivery again
  # only renews the lease. Errors of an entry: those of ackBatch.

  releaseBatch @5 ReleaseRequest -> SettleReply
      $Http.route(post = "/v1/deliveries/release", summary = "Gives messages back, to be delivered again")
      $Http.route(post = "/v1/deliveries/{receipt}/release", summary = "Gives the message back", kind = settleOne,
          success = 204);
  # Gives messages back, to be handed out again now or after a delay. If a delivery is charged and was the last one
  # allowed, its message is dead-lettered instead. Buffered. Errors of the call: invalidArgument. Errors of an entry:
  # those of ackBatch.

  rejectBatch @6 RejectRequest -> SettleReply
      $Http.route(post = "/v1/deliveries/reject", summary = "Dead-letters messages, with a reason")
      $Http.route(post = "/v1/deliveries/{receipt}/reject", summary = "Dead-letters the message; the body says why",
          kind = settleOne, bodyField = "rejection", success = 204);
  # Dead-letters messages now, all with the same reason. Errors of the call: limitExceeded. Errors of an entry: those of
  # ackBatch, and noDeadLetterQueue if the queue has no dead letter queue and does not discard.

  peek @7 Peek.PeekRequest -> Peek.PeekReply
      $Http.route(get = "/v1/queues/{queue}/messages", summary = "Looks at messages without receiving them");
  # Looks at messages by place or by id without receiving them, and changes nothing. Errors: queueNotFound,
  # invalidArgument, limitExceeded.

  messageHistory @8 History.MessageHistoryRequest -> History.MessageHistoryReply
      $Http.route(get = "/v1/messages/{id}/history", summary = "Where a message has been");
  # Tells where a message has been, as far as the queues that it was in keep a journal and still remember it. A server
  # with access control tells only the steps in queues that the caller may operate.
}

enum Durability {
  queueDefault @0;
  # In a request: the durability that the queue's options say. It never occurs in a reply or in a queue's options.

  fsync @1;
  # On disk: it survives a power loss.

  buffered @2;
  # In the operating system: it survives a crash of the process, not one of the machine.
}

struct Message {
  body @0 :Data $Json.required;
  attributes @1 :List(Attribute);
  # At most 64, with at most 64 KiB together. Their order is kept, and so are attributes that have the same name.
  # Failure records copy "correlation-id" and "workflow-version".

  delay :union {
    queueDefault @2 :Void;
    micros @3 :Int64;
    # `micros` says how long after the send the message may first be handed out. 0..10 years.
  }
  visibleAt :union {
    notSaid @4 :Void;
    micros @5 :Int64 $Json.time;
    # The message waits until this time; a past time means now. At most 10 years ahead. Refused beside a delay.
  }

  group @6 :Data;
  # The message group, which matters on queues with grouping. At most 128 bytes.

  deduplicationId @7 :Data;
  # Names this send on queues with deduplication. At most 128 bytes.

  priority @8 :UInt32;
  # The level of priority: 0, the lowest, up to QueueOptions.priorities - 1.

  timeToLive :union {
    queueDefault @9 :Void;
    micros @10 :Int64;
    # `micros` says how long the message may be handed out, counted from its send or the end of its delay. If the queue
    # has a time to live too, the shorter of the two holds.
  }
}

struct SendRequest {
  queue @0 :Text;
  messages @1 :List(Message) $Json.required;
  durability @2 :Durability;

  requestId @3 :Text;
  # Names this call; see the conventions in holdfast.capnp. At most 64 bytes; empty: none.
}

struct SendReply {
  union {
    error @0 :Error;
    ok :group {
      ids @1 :List(MessageId);
      # One id for each entry of the request, in the order of the entries. The id of an entry that failed has no
      # meaning.

      durability @2 :Durability;
      # The weakest durability of any entry. It is fsync even if the request asked for buffered when the write shared an
      # fsync with other calls.

      failed @3 :List(FailedEntry);

      duplicates @4 :List(UInt32);
      # The entries, counted from 0, that the queue knew already (QueueOptions.deduplication). Nothing was added for
      # them, and their ids are those of the first messages.
    }
  }
}

struct Receipt {
  # Names one delivery of one message. Once the delivery is over, its receipt settles nothing any more. A receipt stays
  # valid when the server restarts. Hand it back as it is, and do not interpret it.

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
  # `waitMicros` says how long to wait for a message if there is none. 0..Limits.waitMicros.

  consumer @5 :Consumer;

  prefetch @6 :Bool;
  # True: the deliveries are not charged until startBatch. A delivery that is never started goes back to its place,
  # uncharged.
}

struct Delivery {
  receipt @0 :Receipt;
  id @1 :MessageId;
  body @2 :Data;
  attributes @3 :List(Attribute);
  sentAtMicros @4 :Int64 $Json.time;
  # `sentAtMicros` says when the message was first enqueued. It is kept through redrive.

  leaseExpiresAtMicros @5 :Int64 $Json.time;
  # `leaseExpiresAtMicros` says when the lease ends, by the server's time.

  deliveries @6 :UInt32 = 1;
  # `deliveries` says how often the message was handed out and charged. This delivery counts, also if it is prefetched.

  replays @7 :UInt32;
  # `replays` says how often the message was redriven.

  group @8 :Data;
  priority @9 :UInt32;

  leaseLeftMicros @10 :Int64;
  # `leaseLeftMicros` says what was left of the lease when the server handed the message out. A client whose clock may
  # differ from the server's measures the lease by this.

  failure @11 :FailureRecord;
  # `failure` says why the message died. Null if it is not a dead letter.
}

struct ReceiveReply {
  union {
    error @0 :Error;
    deliveries @1 :List(Delivery);
  }
}

struct AckRequest {
  receipts @0 :List(Receipt) $Json.required;
  durability @1 :Durability;
  requestId @2 :Text;

  actor @3 :Text;
  # For dead letters: who acknowledges them, for the audit of their records. Empty: the consumer's instance.
}

struct ExtendRequest {
  receipts @0 :List(Receipt) $Json.required;

  leaseMicros @1 :Int64 $Json.required;
  # 1 ms..12 h.

  letsRunOut @2 :Rejection;
  # `letsRunOut` says why the consumer is about to let the lease run out: the delivery then fails with this. A settling
  # call before that takes its place. Empty: the consumer says nothing.
}

enum ReturnTo {
  # ReturnTo says where a message goes when it is given back.

  head @0;
  # To its old place, before all messages that were never handed out.

  tail @1;
  # Behind all messages that are in the queue when its wait is over. Refused on ordered queues and for dead letters.
}

struct ReleaseRequest {
  receipts @0 :List(Receipt) $Json.required;

  delay :union {
    queuePolicy @1 :Void;
    # The delay of the queue's retry policy if the delivery is charged, no delay if it is not.

    micros @2 :Int64;
    # `micros` says how long until the message is handed out again. 0..10 years.
  }

  charge @3 :Bool = true;
  # False: the delivery does not count against the maximum number of deliveries.

  to :union {
    queuePolicy @4 :Void;
    # The message goes where the queue's retry policy says if the delivery is charged, and to the head if it is not.

    set @5 :ReturnTo;
  }

  failure @6 :Rejection;
  # `failure` says why the delivery failed. Refused if `charge` is false. Empty: the consumer says nothing.
}

struct StartRequest {
  receipts @0 :List(Receipt) $Json.required;
}

struct RejectRequest {
  receipts @0 :List(Receipt) $Json.required;
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
