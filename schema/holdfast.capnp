@0xd2f1c8a94be07653;

# Holdfast's RPC protocol, version 1: Cap'n Proto RPC over one byte stream (TCP or Unix socket), whose bootstrap
# capability is a `Broker`. This file and those it imports are the specification; the verbs are those of the embedded
# engine.
#
# State of a message, and the calls that move it:
#
#   sendBatch -> ready --receive--> leased --ackBatch--> gone
#                  ^                  | | '--rejectBatch, or the last charged delivery failed--> dead letter queue
#                  |                  | '--releaseBatch with a delay--> waiting --delay over--> ready
#                  '------------------'                                      (redrive: dead letter queue --> ready)
#            releaseBatch, or the lease ran out
#   sendBatch with a delay -> waiting
#
# Conventions
# - A request is one struct and a reply is one struct, so that both grow by new fields. A field that is absent reads as
#   its default, which always means "as before the field existed". New calls get new ordinals. Neither raises the
#   protocol version; only a change that an old peer would get wrong does.
# - Errors are values. Every reply is a union of `error`, which concerns the whole call and means that the call had no
#   effect, and `ok`. RPC exceptions are left for what is no answer of Holdfast's: a broken connection, a malformed
#   message, a call that the server does not have.
# - A batch answers per entry. `ok` lists only the entries that failed, so that a batch without failures costs
#   nothing per entry; an entry that is not listed succeeded. The good entries of a batch are not atomic together:
#   after a crash some may have had their effect.
# - A reply leaves when its effect is as durable as asked. A connection that breaks before the reply arrives leaves the
#   outcome unknown: the call is not undone. A client that repeats it over a new connection says which ones it has lost
#   (`hello`), so that no attempt that is still on its way has an effect after the repetition was answered.
# - A send, ack or reject may carry a request id: any text that names this one call among all calls of all clients. It
#   may then be repeated after a lost connection: within 5 minutes, and up to twice that, a call that had an effect has
#   it once. The repetition waits for the first if that is under way, and gives its answer again, the same message
#   ids included; also after a restart of the server. With other arguments: invalidArgument.
# - Times are microseconds: a time since the Unix epoch (UTC), a duration as a count.
# - Text is UTF-8 by convention; the server keeps the bytes it was given. Data is any bytes.
# - Sizes and counts are bounded by the table `Limits`, which `hello` gives.
# - The server keeps a call and its answer until the client has finished it (`Finish`, which libraries send when the
#   answer is let go of). A connection that leaves more unfinished than the server allows, or 64 before it has shown its
#   token, that hands over more than 8 capabilities in one message, or that leaves 65,536 pushes unanswered, gets an
#   Abort that says so. Answers that show what is stored are refused with `overloaded` while those that are not finished
#   take too many bytes.
#
# A call that waits (`receive`) ends early when its caller drops it or the connection breaks.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

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
  # Calls may be in flight together on one connection; they take effect in any order.

  hello @0 HelloRequest -> HelloReply;
  # Who is there. Optional: every other call works without it. Errors: overloaded, closed (the server is ending), both
  # only of a client that has lost connections.

  # --- queues. Always fsynced. ---

  createQueue @1 Queue.CreateQueueRequest -> Queue.DeclareReply;
  # Creates a queue. If it exists with the same options, nothing happens; with others: queueExists. A dead letter queue
  # that does not exist is created with default options. Errors: invalidArgument, limitExceeded, queueExists,
  # deadLetterCycle.

  alterQueue @2 Queue.AlterQueueRequest -> Queue.DeclareReply;
  # Changes the options that are set. A change of maxDeliveries counts from the next failure on. Errors: those of
  # createQueue, and queueNotFound.

  deleteQueue @3 Queue.DeleteQueueRequest -> Queue.EmptyReply;
  # Deletes a queue with all that is in it. Errors: queueNotFound, queueInUse.

  purgeQueue @4 Queue.QueueRequest -> Queue.PurgeReply;
  # Deletes all messages of a queue, the leased ones too. Errors: queueNotFound.

  describeQueue @5 Queue.QueueRequest -> Queue.DescribeReply;
  # Errors: queueNotFound.

  listQueues @6 Queue.ListQueuesRequest -> Queue.ListQueuesReply;
  # All queues, by name.

  # --- messages ---

  sendBatch @7 Message.SendRequest -> Message.SendReply;
  # Appends messages to a queue. Of the call: queueNotFound, queuePaused, limitExceeded (batchEntries, batchBytes),
  # diskFull. Of an entry: limitExceeded, invalidArgument, queueFull.

  receive @8 Message.ReceiveRequest -> Message.ReceiveReply;
  # Hands out up to `max` messages, oldest first, each leased to the caller. Each delivery is counted (buffered) before
  # the reply leaves, so it is charged even if the reply is lost: then the messages come back when the lease runs out.
  # Nothing there, even after `wait`: an empty list. A reply carries at most batchBytes of bodies and attributes, but
  # at least one message if there is one. What cannot be read is passed over: it stays, uncharged, and is tried again a
  # second later; corruption and storageFailed say that nothing could be read, and nothing is leased.
  # Errors: queueNotFound, invalidArgument, limitExceeded.

  ackBatch @9 Message.AckRequest -> Message.SettleReply;
  # Done: the messages are gone. Of an entry: receiptStale, messageNotFound, queueNotFound.

  extendBatch @10 Message.ExtendRequest -> Message.SettleReply;
  # The leases now end `lease` from now. Buffered. Of the call: invalidArgument. Of an entry: as ackBatch.

  releaseBatch @11 Message.ReleaseRequest -> Message.SettleReply;
  # Gives messages back, to be handed out again now or after a delay. A charged delivery that was the last one allowed
  # dead-letters its message instead. Buffered. Of the call: invalidArgument. Of an entry: as ackBatch.

  rejectBatch @12 Message.RejectRequest -> Message.SettleReply;
  # Dead-letters messages now, all with the same reason. Of the call: limitExceeded. Of an entry: as ackBatch, and
  # noDeadLetterQueue if the queue has none and does not discard.

  # --- dead letters ---

  listDeadLetters @13 DeadLetter.ListDeadLettersRequest -> DeadLetter.ListDeadLettersReply;
  # Looks at the dead letters of a queue without receiving them. Errors: queueNotFound, invalidArgument,
  # limitExceeded.

  redrive @14 Redrive.RedriveRequest -> Redrive.RedriveReply;
  # Moves the dead letters that are in the queue now back to the queues they came from: same id, body and attributes,
  # delivery count reset, replay count raised. Fsynced; a server that is restarted finishes the rest. Errors:
  # queueNotFound, limitExceeded, invalidArgument (a rate is for startRedrive), messageNotFound (the filter names dead
  # letters and none of them is there), diskFull. Once it has begun a task: outcomeUnknown, which names the task, if its
  # end cannot be waited for or it has failed; closed from a server that stops meanwhile, if the call has a request id:
  # a repetition, to the next one, waits for the same task.

  groupDeadLetters @15 DeadLetter.GroupDeadLettersRequest -> DeadLetter.GroupDeadLettersReply;
  # Counts the dead letters of a queue by what they have in common. Errors: queueNotFound, invalidArgument,
  # limitExceeded.

  changeDeadLetters @16 DeadLetter.ChangeDeadLettersRequest -> DeadLetter.DeadLettersChangedReply;
  # Sets status and assignee of dead letters, adds a note. In bounded steps, each one atomic write. Fsynced. Errors:
  # queueNotFound, invalidArgument, limitExceeded.

  discardDeadLetters @17 DeadLetter.DiscardDeadLettersRequest -> DeadLetter.DeadLettersChangedReply;
  # Deletes the messages of dead letters for good; their records stay, as abandoned history.
  # queueNotFound, invalidArgument, limitExceeded.

  importDeadLetters @18 DeadLetter.ImportDeadLettersRequest -> DeadLetter.ImportDeadLettersReply;
  # Puts exported dead letters back, under their own ids. One atomic write. Fsynced. Since a redrive takes each to the
  # queue that its record names as its source, that needs the same right. Errors: queueNotFound, invalidArgument,
  # limitExceeded.

  park @19 Redrive.RedriveRequest -> Redrive.RedriveReply;
  # Moves dead letters, records and all, to the queue's parking queue or to `to`. Errors as redrive; invalidArgument also
  # for an edit, for maxReplays, and without a queue to park in.

  startRedrive @20 Redrive.RedriveRequest -> Redrive.StartRedriveReply;
  # redrive as a task in the background; answers when the task is on disk. Errors as redrive.

  redriveStatus @21 Redrive.TaskRequest -> Redrive.TaskReply;
  # Errors: taskNotFound. Of tasks that have ended the last 100 are remembered.

  listRedrives @22 Redrive.ListRedrivesRequest -> Redrive.ListRedrivesReply;

  cancelRedrive @23 Redrive.CancelRedriveRequest -> Redrive.TaskReply;
  # Ends a task; what it has moved stays moved. One that has ended stays as it is. Errors: taskNotFound, limitExceeded.

  previewRedrive @24 Redrive.PreviewRedriveRequest -> Redrive.PreviewRedriveReply;
  # A dry run: counts what redrive would do now, and changes nothing. The edit is tried too. Errors as redrive.

  # --- operations ---

  backup @25 Operations.BackupRequest -> Operations.BackupReply;
  # Adds a backup of everything to a directory of the server's, beside all other calls. Errors: invalidArgument,
  # permissionDenied if the server was not told where to keep backups.

  verify @26 Operations.VerifyRequest -> Operations.VerifyReply;
  # Reads everything once and reports what is not as it has to be. Changes nothing.

  statistics @27 Operations.StatisticsRequest -> Operations.StatisticsReply;
  queueStatistics @28 Queue.QueueRequest -> Operations.QueueStatisticsReply;
  # Numbers about everything, and about one queue. Errors: queueNotFound.

  compact @29 Queue.QueueRequest -> Queue.EmptyReply;
  # Rewrites what is on disk without what was removed: one queue's rows, or with an empty name everything. Slows other
  # calls down; may take long. Errors: queueNotFound.

  # --- more on queues and messages ---

  pauseQueue @30 Queue.PauseRequest -> Queue.EmptyReply;
  # Stops deliveries, sends or both. While deliveries are paused receives wait or give nothing; settling goes on. While
  # sends are paused they are refused (queuePaused); dead letters and redriven messages still come in. Errors:
  # queueNotFound, invalidArgument.

  resumeQueue @31 Queue.PauseRequest -> Queue.EmptyReply;
  # Starts them again. Errors: as pauseQueue.

  startBatch @32 Message.StartRequest -> Message.SettleReply;
  # Charges deliveries that were received with `prefetch`, and makes their leases as long as they were at first.
  # Buffered. Once is enough. Of an entry: as ackBatch.

  peek @33 Peek.PeekRequest -> Peek.PeekReply;
  # Looks at messages by place or by id, without receiving them or changing anything. Errors: queueNotFound,
  # invalidArgument, limitExceeded.

  subscribe @34 Push.SubscribeRequest -> Push.SubscribeReply;
  # Has the server push deliveries as they come, instead of receiving them. Errors: queueNotFound, invalidArgument,
  # limitExceeded, overloaded.

  authenticate @35 AuthenticateRequest -> AuthenticateReply;
  # Says who the client is. From a server with access control the bootstrap `Broker` answers everything but hello and this
  # call with permissionDenied; the `Broker` that this gives makes the calls that the token was granted. A queue without
  # any grant is, to it, one that does not exist. Errors: permissionDenied, overloaded.

  deadLetterStatistics @36 DeadLetter.DeadLetterStatisticsRequest -> DeadLetter.DeadLetterStatisticsReply;
  # How many dead letters a queue has by age, and how many came in each of the last hours and days, by cause and category.
  # Errors: queueNotFound, limitExceeded.

  messageHistory @37 History.MessageHistoryRequest -> History.MessageHistoryReply;
  # Where a message has been, as far as the queues that it was in keep a journal and still remember. From a server with
  # access control: the steps in queues that the caller may operate.

  # --- draining a server ---

  drain @38 Operations.DrainRequest -> Operations.DrainReply;
  # From now on no connections are taken, and sendBatch, receive and subscribe are answered with closed; receives that
  # wait end with an empty list, subscriptions end, and what they had pushed and nobody had started goes back uncharged.
  # All other calls go on, so that deliveries in flight can be settled. It is over when there are none, or when time has
  # run out. Once more: other options hold. Answers at once. Errors: invalidArgument, closed (the server is ending).

  drainStatus @39 Operations.DrainStatusRequest -> Operations.DrainReply;
  # How far it is. The connection of who asks stays until the server has ended and has said so. Errors: invalidArgument,
  # overloaded; those of the engine if closing it failed.

  resume @40 Operations.ResumeRequest -> Operations.DrainReply;
  # Ends a drain, and everything is as before. Errors: closed (the server is ending).

  # --- more on dead letters ---

  previewPark @41 Redrive.PreviewRedriveRequest -> Redrive.PreviewRedriveReply;
  # As previewRedrive, for park. Errors as park.

  findDeadLetters @42 DeadLetter.FindDeadLettersRequest -> DeadLetter.FindDeadLettersReply;
  # Looks for dead letters in all queues, or in several, by name of the queue. Errors: queueNotFound, invalidArgument,
  # limitExceeded.
}

# --- hello ---

struct HelloRequest {
  protocolVersion @0 :UInt32;
  # The newest that the client speaks.

  client @1 :Text;
  # Name and version of the client's software, for the server's log. At most 256 bytes; the rest is cut off.

  session :group {
    # Which of its connections a client has lost. Otherwise a call that the network holds up could still arrive over one
    # of them after its repetition was refused, and have its effect. All 0, and an empty list: the client does not say.

    high @2 :UInt64;
    low @3 :UInt64;
    # 128 random bits, which all connections of the client have in common and nobody else knows.

    connection @4 :UInt64;
    # What the client calls this connection.

    lost @5 :List(UInt64);
    # Those that it has lost, at most 64; the rest is ignored. The server hangs up on them before it replies: the calls
    # that it has read of them have begun by then, and it reads no more.
  }
}

struct HelloReply {
  union {
    error @0 :Error;
    ok :group {
      protocolVersion @1 :UInt32;
      # The newest that the server speaks; it also speaks all older ones.

      serverVersion @2 :Text;
      limits @3 :Limits;

      timeMicros @4 :Int64 $Json.time;
      # The server's time, for ages and for what is left of times: the client's clock may be another one.
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
  # What this server accepts. 0: the server does not say.

  bodyBytes @0 :UInt64;
  # Of one message, in queues whose maxBodyBytes allows it.

  batchEntries @1 :UInt32;
  # Messages or receipts in one call.

  batchBytes @2 :UInt64;
  # Bodies and attributes in one call, and in one reply, of more than one message.

  receiveMax @3 :UInt32;
  # Messages handed out by one receive.

  listPage @4 :UInt32;
  # Dead letters in one page.

  waitMicros @5 :Int64;
  # How long one receive may wait.
}
