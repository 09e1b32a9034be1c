@0xa8d3f0c29b5e4716;

# Subscriptions: the server pushes deliveries as they come.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Error = import "error.capnp".Error;
using Message = import "message.capnp";

struct SubscribeRequest {
  queue @0 :Text;

  credit @1 :UInt32;
  # `credit` says how many messages the server may push before the client grants more. 1..Limits.receiveMax.

  lease :union {
    queueDefault @2 :Void;
    micros @3 :Int64;
    # 1 ms..12 h.
  }

  consumer @4 :Message.Consumer;

  prefetch @5 :Bool = true;
  # True: a delivery is not charged until startBatch; see ReceiveRequest.prefetch.

  sink @6 :DeliverySink;
  # `sink` says where the deliveries go: a capability of the caller.
}

struct SubscribeReply {
  union {
    error @0 :Error;
    subscription @1 :Subscription;
  }
}

interface Subscription {
  # Dropping this capability ends the subscription, and so does losing the connection. Deliveries that were pushed and
  # neither started nor settled go back to their places, uncharged.

  grant @0 (count :UInt32) -> ();
  # Raises the credit by `count`, up to Limits.receiveMax.
}

interface DeliverySink {
  deliver @0 (deliveries :List(Message.Delivery)) -> stream;
  # Hands over further deliveries. The server waits with more while a client takes long to return.

  end @1 (error :Error) -> ();
  # Says that no more deliveries will come: the queue was deleted, or the server stops (closed). It is not called when
  # the client ends the subscription.
}
