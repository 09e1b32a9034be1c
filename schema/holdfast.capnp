@0xd2f1c8a94be07653;

# Holdfast's protocol, version 1: Cap'n Proto RPC over one byte stream (TCP or a Unix socket), whose bootstrap
# capability is a `Broker`. This file and the files that it imports are the specification. The calls are those of an
# engine in the process.
#
# The states of a message, and the calls that move it:
#
#   sendBatch -> ready --receive--> leased --ackBatch--> gone
#                  ^                  | | '--rejectBatch, or the last charged delivery failed--> dead letter queue
#                  |                  | '--releaseBatch with a delay--> waiting --delay over--> ready
#                  '------------------'                                      (redrive: dead letter queue --> ready)
#            releaseBatch, or the lease ran out
#   sendBatch with a delay -> waiting
#
# Conventions
# - A request is one struct and a reply is one struct, so that both can grow by new fields. A field that is absent reads
#   as its default, which always means "as before the field existed". A new call gets the next number of its
#   interface. Neither raises the version of the protocol: only a change that an old peer would get wrong does.
# - Errors are values. Every reply is a union of `error` and `ok`. An `error` concerns the whole call, and means that
#   the call had no effect unless the call says otherwise. RPC exceptions report only failures outside of Holdfast's
#   calls: a broken connection, a malformed message, a call that the server does not have.
# - A batch has a result for each entry. `ok` lists only the entries that failed; an entry that is not listed succeeded.
#   So a batch without failures costs nothing for each entry. The good entries of a batch are not atomic together: after
#   a crash some may have had their effect.
# - The server replies when the effect is as durable as the call asked for. If the connection breaks before the reply
#   arrives, the outcome is unknown: the call is not undone. A client that repeats the call over a new connection first
#   names the connections that it has lost (`hello`), so that no earlier attempt can have an effect after the repetition
#   was answered.
# - A send, ack, reject or redrive may have a request id: any text that names this one call among all calls of all clients or,
#   where tokens are used, among all calls that are made with tokens of this one's name. A call with a request id may be
#   repeated after a lost connection. Within 5 minutes, and up to twice that, a call that had an effect has it only once:
#   the repetition waits for the first call if that is under way, and returns its answer again, with the same message
#   ids. This also holds after a restart of the server. A repetition with other arguments is refused with
#   invalidArgument.
# - Times and durations are in microseconds. A time counts from the Unix epoch (UTC).
# - Text is UTF-8 by convention; the server keeps the bytes that it was given. Data is any bytes.
# - Sizes and numbers are bounded by the table `Limits`, which `hello` returns.
# - The server keeps a call and its answer until the client finishes it (`Finish`, which libraries send when the answer
#   is released). The server aborts a connection, and says why, in these cases: it leaves more calls unfinished than the
#   server allows, or 64 before it has shown its token; it hands over more than 8 capabilities in one message; it leaves
#   65,536 pushes unanswered. While unfinished answers take too many bytes, calls that show what is stored are refused
#   with overloaded.
#
# A call that waits (`receive`) ends early when its caller drops it or the connection breaks.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Http = import "http.capnp";
using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Queue = import "queue.capnp";
using Message = import "message.capnp";
using DeadLetter = import "dead_letter.capnp";
using Redrive = import "redrive.capnp";
using Operations = import "operations.capnp";
using Push = import "push.capnp";

const protocolVersion :UInt32 = 1;

interface Broker extends(Queue.QueueCalls, Message.MessageCalls, DeadLetter.DeadLetterCalls, Redrive.RedriveCalls,
    Operations.OperationCalls) {
  # The calls of the protocol. The file of each subject declares its calls beside their structs; those that concern the
  # connection are here. Several calls may be in flight on one connection; they take effect in any order. error.capnp
  # lists the errors that every call can have; the comment on a call lists only its own.

  hello @0 HelloRequest -> HelloReply
      $Http.route(get = "/v1", summary = "Who is there: the server's version, its limits and its time");
  # Introduces the client and the server to each other. It is optional: every other call works without it. Errors:
  # overloaded, closed (the server is ending), both only for a client that has lost connections.

  subscribe @1 Push.SubscribeRequest -> Push.SubscribeReply;
  # Asks the server to push deliveries as they come. Errors: queueNotFound, invalidArgument, limitExceeded, overloaded.

  authenticate @2 AuthenticateRequest -> AuthenticateReply;
  # Says who the client is, and returns a `Broker` that makes the calls that the token was granted. A server with access
  # control answers permissionDenied to all calls of the bootstrap `Broker` except hello and this one. To the returned
  # `Broker`, a queue on which the token has no right does not exist. Errors: permissionDenied, overloaded.
}

# --- hello ---

struct HelloRequest {
  protocolVersion @0 :UInt32;
  # The newest version that the client speaks.

  client @1 :Text;
  # The name and version of the client's software, for the server's log. At most 256 bytes; the rest is cut off.

  session :group {
    # Tells the server which connections the client has lost. Without this, a call that the network holds up could still
    # arrive over a lost connection, and have its effect, after its repetition was refused. All fields 0 or empty: the
    # client does not tell.

    high @2 :UInt64;
    low @3 :UInt64;
    # 128 random bits, `high` and `low`, which all connections of the client share and nobody else knows.

    connection @4 :UInt64;
    # The client's number for this connection.

    lost @5 :List(UInt64);
    # The numbers of the connections that the client has lost: at most 64, the rest is ignored. The server closes them
    # before it replies: calls that it has read from them have begun by then, and it reads no more.
  }
}

struct HelloReply {
  union {
    error @0 :Error;
    ok :group {
      protocolVersion @1 :UInt32;
      # The newest version that the server speaks; it also speaks all older ones.

      serverVersion @2 :Text;
      limits @3 :Limits;

      timeMicros @4 :Int64 $Json.time;
      # The server's time. The client measures ages and remaining times by it, since its own clock may differ.
    }
  }
}

struct AuthenticateRequest {
  token @0 :Text;
}

struct AuthenticateReply {
  union {
    error @0 :Error;
    broker @1 :Broker;
  }
}

struct Limits {
  # Limits says what this server accepts at most. 0: the server does not say.

  bodyBytes @0 :UInt64;
  # The body of one message, in queues whose maxBodyBytes allows it.

  batchEntries @1 :UInt32;
  # Messages or receipts in one call.

  batchBytes @2 :UInt64;
  # Bodies and attributes in a call or a reply with more than one message.

  receiveMax @3 :UInt32;
  # Messages that one receive hands out.

  listPage @4 :UInt32;
  # Dead letters in one page.

  waitMicros @5 :Int64;
  # `waitMicros` says how long one receive may wait.
}
