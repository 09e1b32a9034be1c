@0xa8d3f0c29b5e4716;

# Deliveries that the server pushes.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Error = import "error.capnp".Error;
using Message = import "message.capnp";

struct SubscribeRequest {
  queue @0 :Text;

  credit @1 :UInt32;
  # How many messages may be pushed before more credit is granted. 1..Limits.receiveMax.

  lease :union {
    queueDefault @2 :Void;
    micros @3 :Int64;
    # 1 ms..12 h.
  }

  consumer @4 :Message.Consumer;

  prefetch @5 :Bool = true;
  # As in ReceiveRequest, but true by default: what waits at the client is not charged until startBatch.

  sink @6 :DeliverySink;
  # The caller's: where the deliveries go.
}

struct SubscribeReply {
  union {
    error @0 :Error;
    subscription @1 :Subscription;
  }
}

interface Subscription {
  # Dropping it, or losing the connection, ends it: what was pushed and not started, nor settled, goes back to its place
  # uncharged.

  grant @0 (count :UInt32) -> ();
  # Raises the credit, to at most Limits.receiveMax.
}

interface DeliverySink {
  deliver @0 (deliveries :List(Message.Delivery)) -> stream;
  # The next ones. A client that takes long to return holds the stream up.

  end @1 (error :Error) -> ();
  # There will be no more: the queue is gone, or the server stops (closed). Not called when the client ends it.
}
