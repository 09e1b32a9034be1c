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
#   as its default, which always means "as before the field existed". New calls get new ordinals. Neither raises the
#   version of the protocol: only a change that an old peer would get wrong does.
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
using Peek = import "peek.capnp";
using History = import "message_history.capnp";
using Push = import "push.capnp";

const protocolVersion :UInt32 = 1;

interface Broker {
  # The calls of the protocol. Several calls may be in flight on one connection; they take effect in any order.
  # error.capnp lists the errors that every call can have; the comment on a call lists only its own.

  hello @0 HelloRequest -> HelloReply
      $Http.route(get = "/v1", summary = "Who is there: the server's version, its limits and its time");
  # Introduces the client and the server to each other. It is optional: every other call works without it. Errors:
  # overloaded, closed (the server is ending), both only for a client that has lost connections.

  # --- queues: all changes are fsynced ---

  createQueue @1 Queue.CreateQueueRequest -> Queue.DeclareReply
      $Http.route(put = "/v1/queues/{name}",
          summary = "Creates a queue with the options of the body; nothing happens if it is there with the same ones",
          bodyField = "options");
  # Creates a queue. If the queue exists with the same options, nothing happens; if it exists with others, the answer is
  # queueExists. Errors: invalidArgument, limitExceeded, queueExists, queueNotFound (the options name a queue that does
  # not exist), deadLetterCycle.

  alterQueue @2 Queue.AlterQueueRequest -> Queue.DeclareReply
      $Http.route(patch = "/v1/queues/{name}", summary = "Changes the options that the body names");
  # Changes the options that are set. A change of maxDeliveries counts from the next failure on. Errors: those of
  # createQueue, queueNotFound, preconditionFailed (`ifVersion`).

  deleteQueue @3 Queue.DeleteQueueRequest -> Queue.EmptyReply
      $Http.route(delete = "/v1/queues/{name}", summary = "Deletes a queue with all that is in it", success = 204);
  # Deletes a queue with all that is in it. Errors: queueNotFound, queueInUse, preconditionFailed (`ifVersion`).

  purgeQueue @4 Queue.QueueRequest -> Queue.PurgeReply
      $Http.route(post = "/v1/queues/{name}/purge", summary = "Deletes all messages of a queue");
  # Deletes all messages of a queue, also the leased ones. Errors: queueNotFound.

  describeQueue @5 Queue.QueueRequest -> Queue.DescribeReply
      $Http.route(get = "/v1/queues/{name}", summary = "Options, counts and alerts of a queue");
  # Returns what is known about a queue. Errors: queueNotFound.

  listQueues @6 Queue.ListQueuesRequest -> Queue.ListQueuesReply
      $Http.route(get = "/v1/queues", summary = "All queues that the caller may know of, by name")
      $Http.route(get = "/v1/events",
          summary = "What happens, as server-sent events: deaths, drops and alerts, for as long as the client listens",
          kind = events);
  # Returns all queues, by name.

  # --- messages ---

  sendBatch @7 Message.SendRequest -> Message.SendReply
      $Http.route(post = "/v1/queues/{queue}/messages", summary = "Sends the body as one message", kind = sendRaw,
          success = 201)
      $Http.route(post = "/v1/queues/{queue}/messages/batch", summary = "Sends several messages", kind = sendBatch,
          success = 201);
  # Appends messages to a queue. Errors of the call: queueNotFound, queuePaused, limitExceeded (batchEntries,
  # batchBytes), diskFull. Errors of an entry: limitExceeded, invalidArgument, queueFull.

  receive @8 Message.ReceiveRequest -> Message.ReceiveReply
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

  ackBatch @9 Message.AckRequest -> Message.SettleReply
      $Http.route(post = "/v1/deliveries/ack", summary = "Done: the messages are gone")
      $Http.route(delete = "/v1/deliveries/{receipt}", summary = "Done: the message is gone", kind = settleOne,
          success = 204)
      $Http.route(post = "/v1/deliveries/{receipt}/ack", summary = "Done: the message is gone", kind = settleOne,
          success = 204);
  # The work is done: the messages are deleted. Errors of an entry: receiptStale, messageNotFound, queueNotFound.

  extendBatch @10 Message.ExtendRequest -> Message.SettleReply
      $Http.route(post = "/v1/deliveries/extend", summary = "The leases end so long from now")
      $Http.route(post = "/v1/deliveries/{receipt}/extend", summary = "The lease ends so long from now",
          kind = settleOne, success = 204);
  # The leases now end `leaseMicros` from now. Buffered. Errors of the call: invalidArgument. Errors of an entry: those
  # of ackBatch.

  releaseBatch @11 Message.ReleaseRequest -> Message.SettleReply
      $Http.route(post = "/v1/deliveries/release", summary = "Gives messages back, to be delivered again")
      $Http.route(post = "/v1/deliveries/{receipt}/release", summary = "Gives the message back", kind = settleOne,
          success = 204);
  # Gives messages back, to be handed out again now or after a delay. If a delivery is charged and was the last one
  # allowed, its message is dead-lettered instead. Buffered. Errors of the call: invalidArgument. Errors of an entry:
  # those of ackBatch.

  rejectBatch @12 Message.RejectRequest -> Message.SettleReply
      $Http.route(post = "/v1/deliveries/reject", summary = "Dead-letters messages, with a reason")
      $Http.route(post = "/v1/deliveries/{receipt}/reject", summary = "Dead-letters the message; the body says why",
          kind = settleOne, bodyField = "rejection", success = 204);
  # Dead-letters messages now, all with the same reason. Errors of the call: limitExceeded. Errors of an entry: those of
  # ackBatch, and noDeadLetterQueue if the queue has no dead letter queue and does not discard.

  # --- dead letters ---

  listDeadLetters @13 DeadLetter.ListDeadLettersRequest -> DeadLetter.ListDeadLettersReply
      $Http.route(get = "/v1/queues/{queue}/dead-letters", summary = "Dead letters of a queue, by time of death");
  # Looks at the dead letters of a queue without receiving them. Errors: queueNotFound, invalidArgument, limitExceeded.

  redrive @14 Redrive.RedriveRequest -> Redrive.RedriveReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/redrive",
          summary = "Moves dead letters back to where they came from, parks them, or says what it would do",
          bodyField = "options");
  # Moves the dead letters that are in the queue now back to the queues that they came from, or parks them, by a task.
  # Fsynced. A server that is restarted finishes the rest. With dryRun it counts what it would do now, and changes
  # nothing. Errors before there is a task: queueNotFound, limitExceeded, messageNotFound (the filter names dead letters,
  # and none of them is there), diskFull, invalidArgument (a rate or a canary of a call that waits, for example; of a
  # park an edit, maxReplays, or no queue to park in). Errors once there is a task: outcomeUnknown, which names the task,
  # if its end cannot be waited for or if it has failed; closed from a server that stops meanwhile, if the call has a
  # request id. Repeating that call to the restarted server waits for the same task.

  groupDeadLetters @15 DeadLetter.GroupDeadLettersRequest -> DeadLetter.GroupDeadLettersReply
      $Http.route(get = "/v1/queues/{queue}/dead-letters/groups",
          summary = "Dead letters of a queue, counted by what they have in common");
  # Counts the dead letters of a queue by what they have in common. Errors: queueNotFound, invalidArgument,
  # limitExceeded.

  changeDeadLetters @16 DeadLetter.ChangeDeadLettersRequest -> DeadLetter.DeadLettersChangedReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/change",
          summary = "Sets the status and the assignee, and adds a note");
  # Sets the status and the assignee of dead letters, and adds a note. The call works in bounded steps, each of them one
  # atomic write. Fsynced. Errors: queueNotFound, invalidArgument, limitExceeded; closed if nothing was changed yet, and
  # outcomeUnknown if the call ended part-way.

  discardDeadLetters @17 DeadLetter.DiscardDeadLettersRequest -> DeadLetter.DeadLettersChangedReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/discard",
          summary = "Deletes the messages of dead letters for good");
  # Deletes the messages of dead letters for good; their records stay, as abandoned history. The call works in bounded
  # steps, each of them one atomic write. Fsynced. Errors: those of changeDeadLetters.

  importDeadLetters @18 DeadLetter.ImportDeadLettersRequest -> DeadLetter.ImportDeadLettersReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/import", summary = "Puts exported dead letters back");
  # Puts exported dead letters back, under their own ids, in one atomic write. Fsynced. A redrive will take each of them
  # to the queue that its record names as its source, so the import needs the right to that queue too. Errors:
  # queueNotFound, invalidArgument, limitExceeded, diskFull.

  redriveStatus @19 Redrive.TaskRequest -> Redrive.TaskReply
      $Http.route(get = "/v1/redrives/{task}", summary = "How far a redrive is");
  # Returns the state of a task. The last 100 tasks that have ended are remembered. Errors: taskNotFound.

  listRedrives @20 Redrive.ListRedrivesRequest -> Redrive.ListRedrivesReply
      $Http.route(get = "/v1/redrives", summary = "Redrives that run, and those that ended lately");
  # Returns all tasks that are remembered.

  cancelRedrive @21 Redrive.CancelRedriveRequest -> Redrive.TaskReply
      $Http.route(post = "/v1/redrives/{task}/cancel", summary = "Ends a redrive; what it has moved stays moved");
  # Ends a task; what it has moved stays moved. A task that has ended already stays as it is. Errors: taskNotFound,
  # limitExceeded.

  # --- operations ---

  backup @22 Operations.BackupRequest -> Operations.BackupReply
      $Http.route(post = "/v1/backups", summary = "Makes a backup on the server", success = 201);
  # Adds a backup of everything to a directory of the server. All other calls go on meanwhile. Errors: invalidArgument,
  # permissionDenied if the server was not told where to keep backups.

  verify @23 Operations.VerifyRequest -> Operations.VerifyReply
      $Http.route(post = "/v1/verify", summary = "Reads everything and reports what is not as it has to be");
  # Reads everything once and reports what is wrong. Changes nothing.

  statistics @24 Operations.StatisticsRequest -> Operations.StatisticsReply
      $Http.route(get = "/v1/statistics", summary = "Numbers about the server and its store");
  # Returns the numbers of the server's engine.

  queueStatistics @25 Queue.QueueRequest -> Operations.QueueStatisticsReply
      $Http.route(get = "/v1/queues/{name}/statistics", summary = "Rates, ages and latencies of a queue");
  # Returns the numbers of a queue. Errors: queueNotFound.

  compact @26 Queue.QueueRequest -> Queue.EmptyReply
      $Http.route(post = "/v1/queues/{name}/compact", summary = "Rewrites a queue's rows on disk without what is gone",
          success = 204);
  # Rewrites what is on disk without what was removed: the rows of one queue, or everything if the name is empty. It
  # slows other calls down, and may take long. Errors: queueNotFound.

  # --- more on queues and messages ---

  pauseQueue @27 Queue.PauseRequest -> Queue.EmptyReply
      $Http.route(post = "/v1/queues/{name}/pause", summary = "Stops deliveries, sends or both", success = 204);
  # Stops deliveries, sends or both. While deliveries are paused, receives wait or return nothing, and settling goes on.
  # While sends are paused, they are refused (queuePaused); dead letters and redriven messages still come in. Errors:
  # queueNotFound, invalidArgument.

  resumeQueue @28 Queue.PauseRequest -> Queue.EmptyReply
      $Http.route(post = "/v1/queues/{name}/resume", summary = "Starts deliveries, sends or both again", success = 204);
  # Starts deliveries, sends or both again. Errors: queueNotFound, invalidArgument.

  startBatch @29 Message.StartRequest -> Message.SettleReply
      $Http.route(post = "/v1/deliveries/start",
          summary = "Charges deliveries that were received without being charged")
      $Http.route(post = "/v1/deliveries/{receipt}/start", summary = "Charges the delivery", kind = settleOne,
          success = 204);
  # Work on prefetched deliveries starts: charges them, and renews their leases. Buffered. Starting a delivery again
  # only renews the lease. Errors of an entry: those of ackBatch.

  peek @30 Peek.PeekRequest -> Peek.PeekReply
      $Http.route(get = "/v1/queues/{queue}/messages", summary = "Looks at messages without receiving them");
  # Looks at messages by place or by id without receiving them, and changes nothing. Errors: queueNotFound,
  # invalidArgument, limitExceeded.

  subscribe @31 Push.SubscribeRequest -> Push.SubscribeReply;
  # Asks the server to push deliveries as they come. Errors: queueNotFound, invalidArgument, limitExceeded, overloaded.

  authenticate @32 AuthenticateRequest -> AuthenticateReply;
  # Says who the client is, and returns a `Broker` that makes the calls that the token was granted. A server with access
  # control answers permissionDenied to all calls of the bootstrap `Broker` except hello and this one. To the returned
  # `Broker`, a queue on which the token has no right does not exist. Errors: permissionDenied, overloaded.

  deadLetterStatistics @33 DeadLetter.DeadLetterStatisticsRequest -> DeadLetter.DeadLetterStatisticsReply
      $Http.route(get = "/v1/queues/{queue}/dead-letters/statistics",
          summary = "Dead letters of a queue by age, and those that came by hour and day");
  # Counts the dead letters of a queue by age, and those that came in each of the last hours and days by cause and
  # category. Errors: queueNotFound, limitExceeded.

  messageHistory @34 History.MessageHistoryRequest -> History.MessageHistoryReply
      $Http.route(get = "/v1/messages/{id}/history", summary = "Where a message has been");
  # Tells where a message has been, as far as the queues that it was in keep a journal and still remember it. A server
  # with access control tells only the steps in queues that the caller may operate.

  # --- draining a server ---

  drain @35 Operations.DrainRequest -> Operations.DrainReply
      $Http.route(post = "/v1/drain", summary = "Hands nothing out and takes no sends any more", success = 202);
  # Begins to take the server out of service, and answers at once. From now on the server accepts no connections, and
  # answers sendBatch, receive and subscribe with closed. Receives that wait end with an empty list. Subscriptions end,
  # and deliveries that they pushed and nobody started go back uncharged. All other calls go on, so that clients can
  # settle deliveries in flight. The drain is over when there are none any more, or when the time is up. A second drain
  # replaces the options of the first. Errors: invalidArgument, closed (the server is ending).

  drainStatus @36 Operations.DrainStatusRequest -> Operations.DrainReply
      $Http.route(get = "/v1/drain", summary = "How far a drain is");
  # Tells how far the drain is. The connection of a client that asks stays open until the server has ended and has told
  # it so. Errors: invalidArgument, overloaded; those of the engine if closing it failed.

  resume @37 Operations.ResumeRequest -> Operations.DrainReply
      $Http.route(delete = "/v1/drain", summary = "Ends a drain");
  # Ends a drain: the server works normally again. Errors: closed (the server is ending).

  # --- more on dead letters ---

  findDeadLetters @38 DeadLetter.FindDeadLettersRequest -> DeadLetter.FindDeadLettersReply
      $Http.route(post = "/v1/dead-letters/find",
          summary = "Dead letters of all queues, or of several, by what they have in them");
  # Looks for dead letters in all queues, or in several, queue by queue in the order of their names. Errors:
  # queueNotFound, invalidArgument, limitExceeded.
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
