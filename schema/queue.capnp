@0x9ba7387624dc33d8;

# Queues: their options, the calls that declare and change them, and what is known about them.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Http = import "http.capnp";
using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Durability = import "message.capnp".Durability;
using ReturnTo = import "message.capnp".ReturnTo;
using Policy = import "policy.capnp";

interface QueueCalls {
  # The calls that declare, change and describe queues. All changes are fsynced.

  createQueue @0 CreateQueueRequest -> DeclareReply
      $Http.route(put = "/v1/queues/{name}",
          summary = "Creates a queue with the options of the body; nothing happens if it is there with the same ones",
          bodyField = "options");
  # Creates a queue. If the queue exists with the same options, nothing happens; if it exists with others, the answer is
  # queueExists. Errors: invalidArgument, limitExceeded, queueExists, queueNotFound (the options name a queue that does
  # not exist), deadLetterCycle.

  alterQueue @1 AlterQueueRequest -> DeclareReply
      $Http.route(patch = "/v1/queues/{name}", summary = "Changes the options that the body names");
  # Changes the options that are set. A change of maxDeliveries counts from the next failure on. Errors: those of
  # createQueue, queueNotFound, preconditionFailed (`ifVersion`).

  deleteQueue @2 DeleteQueueRequest -> EmptyReply
      $Http.route(delete = "/v1/queues/{name}", summary = "Deletes a queue with all that is in it", success = 204);
  # Deletes a queue with all that is in it. Errors: queueNotFound, queueInUse, preconditionFailed (`ifVersion`).

  purgeQueue @3 QueueRequest -> PurgeReply
      $Http.route(post = "/v1/queues/{name}/purge", summary = "Deletes all messages of a queue");
  # Deletes all messages of a queue, also the leased ones. Errors: queueNotFound.

  pauseQueue @4 PauseRequest -> EmptyReply
      $Http.route(post = "/v1/queues/{name}/pause", summary = "Stops deliveries, sends or both", success = 204);
  # Stops deliveries, sends or both. While deliveries are paused, receives wait or return nothing, and settling goes on.
  # While sends are paused, they are refused (queuePaused); dead letters and redriven messages still come in. Errors:
  # queueNotFound, invalidArgument.

  resumeQueue @5 PauseRequest -> EmptyReply
      $Http.route(post = "/v1/queues/{name}/resume", summary = "Starts deliveries, sends or both again", success = 204);
  # Starts deliveries, sends or both again. Errors: queueNotFound, invalidArgument.

  describeQueue @6 QueueRequest -> DescribeReply
      $Http.route(get = "/v1/queues/{name}", summary = "Options, counts and alerts of a queue");
  # Returns what is known about a queue. Errors: queueNotFound.

  listQueues @7 ListQueuesRequest -> ListQueuesReply
      $Http.route(get = "/v1/queues", summary = "All queues that the caller may know of, by name")
      $Http.route(get = "/v1/events",
          summary = "What happens, as server-sent events: deaths, drops and alerts, for as long as the client listens",
          kind = events);
  # Returns all queues, by name.
}

enum Grouping {
  # Grouping says what a queue does with the groups of its messages.

  none @0;
  # Groups do not matter: messages are handed out oldest first.

  ordered @1;
  # The messages of a group are handed out in the order of their sends, to one consumer at a time. A group is blocked
  # while any of its messages is leased, or while its first message waits for a delay. Groups do not block each other.

  fair @2;
  # Groups take turns; within a group the oldest message goes first.
}

enum Deduplication {
  # By what a queue recognizes a message that is sent again. Such a message is not added, and the reply has the id of
  # the first one.

  none @0;
  # By nothing: each send adds a message.

  byId @1;
  # By Message.deduplicationId. Messages without one are always new.

  byContent @2;
  # By Message.deduplicationId, or by the body if the message has none.
}

struct DeadLetterRoute {
  # A dead letter queue for messages whose last failure has a certain category, whatever they die of.

  category @0 :Text;
  queue @1 :Text;
}

struct DeadLetterSources {
  # DeadLetterSources says which queues may use a queue as their dead letter queue.

  enum Allow {
    all @0;
    none @1;
    listed @2;
  }

  allow @0 :Allow;

  queues @1 :List(Text);
  # For listed: the queues, by name; at most 256.
}

struct QueueOptions {
  maxDeliveries @0 :UInt32 = 5;
  # The number of charged deliveries after which a message that nobody acknowledged is dead-lettered. 1..1000.

  deadLetterQueue @1 :Text;
  # Empty: the queue has none, and messages are retried for ever.

  leaseMicros @2 :Int64 = 30000000;
  # `leaseMicros` says how long a delivery is leased when the receive does not say. 1 ms..12 h.

  durability @3 :Durability = fsync;
  # The durability of sends, acks and rejects that do not say theirs.

  discardRejected @4 :Bool;
  # `discardRejected` says what a reject does when the queue has no dead letter queue. False: it is refused
  # (noDeadLetterQueue). True: the message is deleted for good.

  delayMicros @5 :Int64;
  # A message waits this long before it may first be handed out, when its send does not say. 0..10 years.

  grouping @6 :Grouping;

  deduplication @7 :Deduplication;

  deduplicationWindowMicros @8 :Int64 = 300000000;
  # `deduplicationWindowMicros` says how long a send is remembered for deduplication. 1 s..7 days.

  priorities @9 :UInt32 = 1;
  # The number of levels of priority: 1..16; 1 means that there are no priorities. Messages of the highest level go
  # first. More than 1 excludes grouping.

  priorityAgingMicros @10 :Int64;
  # Keeps low priorities from starving: a message goes before messages k levels higher that were sent more than k times
  # this later. 0: strict, a higher level always goes first. At most 365 days.

  deadLetterRoutes @11 :List(DeadLetterRoute);
  # The dead letter queues for messages whose last failure has certain categories; deadLetterQueue takes all others. At
  # most 64, each category once.

  deadLetterSources @12 :DeadLetterSources;

  keepReplayedMicros @13 :Int64 = 7776000000000;
  # For a dead letter queue: how long dead letters stay after they were replayed. The default is 90 days. 0..100 years.

  keepAbandonedMicros @14 :Int64 = 31536000000000;
  # For a dead letter queue: how long dead letters stay after they were abandoned. The default is 365 days. 0..100
  # years.

  parkingQueue @15 :Text;
  # For a dead letter queue: the parking queue, where dead letters are set aside for people. Empty: the queue has none.

  autoRedrive @16 :Policy.AutoRedrive;
  # `autoRedrive` says how a dead letter queue redrives its dead letters by itself. Refused (invalidArgument) on a queue
  # that others park in.

  alerts @17 :Policy.AlertRules;
  # `alerts` says when a dead letter queue calls for people.

  brake @18 :Policy.FloodBrake;
  # The brake slows a queue with a dead letter queue when its messages die in large numbers.

  retry @19 :RetryPolicy;

  retryBudgetMicros @20 :Int64;
  # The retry budget: a delivery that fails later than this after the first failure of the message is its last, and the
  # message is dead-lettered. 0: there is no budget. At most 10 years.

  tags @21 :List(Tag);

  timeToLiveMicros @22 :Int64;
  # A message may be handed out this long, counted from its send or the end of its delay. 0: for ever. At most 10 years.

  onExpiry @23 :ExpiryPolicy;

  maxLength @24 :UInt64;
  # The most messages that the queue may have. 0: any number.

  onOverflow @25 :OverflowPolicy;

  maxLeased @26 :UInt64;
  # The most messages that may be leased at a time. 0: any number.

  maxBytes @27 :UInt64;
  # The most bytes that the bodies and attributes of all messages may have. 0: any number.

  maxBodyBytes @28 :UInt32 = 1048576;
  # The largest body that may be sent. 1..64 MiB.

  journal @29 :JournalOptions;
  # The queue keeps no journal by default.

  searchedAttributes @30 :List(Text);
  # For a dead letter queue: the attributes by whose values its dead letters are found at once. At most 8.

  keepUnresolvedMicros @31 :Int64;
  # For a dead letter queue: how long new, investigating and fixed dead letters stay, counted from the latest of their
  # death, their import and the last change of their status. 0: until somebody resolves them. At most 100 years.

  directSends @32 :Bool;
  # For a queue that others dead-letter to or park in. True: it takes sends, and each message that is sent is a dead
  # letter at once. False: such sends are refused (queueInUse).

  requireGroup @33 :Bool;
  # True: a send without a group is refused (invalidArgument).
}

enum OverflowPolicy {
  # OverflowPolicy says what a send to a full queue does.

  rejectSend @0;
  # The send is refused (queueFull).

  deadLetterHead @1;
  # The send succeeds. The messages that would be handed out next make room: they go to the dead letter queue, with the
  # cause overflow.

  dropHead @2;
  # The send succeeds. The messages that would be handed out next make room: they are deleted.
}

enum ExpiryPolicy {
  # ExpiryPolicy says what happens to a message when its time to live runs out.

  deadLetter @0;
  # It goes to the dead letter queue, with the cause expired. Without a dead letter queue, a time to live is refused.

  drop @1;
  # It is deleted.
}

struct JournalOptions {
  # JournalOptions says how much a queue remembers of where its messages have been; messageHistory tells it.

  maxEntries @0 :UInt64;
  # The most steps to remember, of all messages together: 100..100,000,000. 0: the queue keeps no journal.

  keepMicros @1 :Int64;
  # `keepMicros` says how long a step is remembered if there is room. At most 100 years. 0: as long as there is room.
}

enum RetryKind {
  immediate @0;
  fixed @1;
  exponential @2;
  stages @3;
}

struct RetryPolicy {
  # RetryPolicy says how long a message waits after a failed delivery. A field that `kind` does not use must be absent.

  kind @0 :RetryKind;

  baseMicros @1 :Int64;
  # For fixed each wait, for exponential the wait after the first failure, which doubles with each further one.

  capMicros @2 :Int64;
  # For exponential: the longest wait.

  jitter @3 :Float64;
  # The largest share by which a wait is shortened. 0..1.

  stagesMicros @4 :List(Int64);
  # For stages: the waits after the first, the second and each further failure; the last one repeats. 1..32 waits.

  to @5 :ReturnTo;
  # `to` says where the message goes for its retry. An ordered queue refuses tail.
}

struct Tag {
  # A name and a value that people put on a queue. A queue has at most 50, with different names.

  name @0 :Text;
  # 1..128 bytes.

  value @1 :Text;
  # 0..256 bytes.
}

struct CreateQueueRequest {
  name @0 :Text;
  # 1..128 letters, digits, '.', '_' and '-', but neither "." nor "..".

  options @1 :QueueOptions;

  createMissing @2 :Bool;
  # Create the dead letter queues and the parking queue that the options name and that do not exist, with default options.
  # False: they are refused with queueNotFound.
}

struct AlterQueueRequest {
  # The options to change. An option that says keep stays as it is.

  name @0 :Text;

  maxDeliveries :union {
    keep @1 :Void;
    set @2 :UInt32;
  }
  deadLetterQueue :union {
    keep @3 :Void;
    set @4 :Text;
    # Empty removes it.
  }
  leaseMicros :union {
    keep @5 :Void;
    set @6 :Int64;
  }
  durability :union {
    keep @7 :Void;
    set @8 :Durability;
  }
  discardRejected :union {
    keep @9 :Void;
    set @10 :Bool;
  }
  delayMicros :union {
    keep @11 :Void;
    set @12 :Int64;
  }
  grouping :union {
    keep @13 :Void;
    set @14 :Grouping;
  }
  deduplication :union {
    keep @15 :Void;
    set @16 :Deduplication;
  }
  deduplicationWindowMicros :union {
    keep @17 :Void;
    set @18 :Int64;
  }
  priorities :union {
    keep @19 :Void;
    set @20 :UInt32;
  }
  priorityAgingMicros :union {
    keep @21 :Void;
    set @22 :Int64;
  }
  deadLetterRoutes :union {
    keep @23 :Void;
    set @24 :List(DeadLetterRoute);
  }
  deadLetterSources :union {
    keep @25 :Void;
    set @26 :DeadLetterSources;
  }
  keepReplayedMicros :union {
    keep @27 :Void;
    set @28 :Int64;
  }
  keepAbandonedMicros :union {
    keep @29 :Void;
    set @30 :Int64;
  }
  parkingQueue :union {
    keep @31 :Void;
    set @32 :Text;
    # Empty removes it.
  }
  autoRedrive :union {
    keep @33 :Void;
    set @34 :Policy.AutoRedrive;
  }
  alerts :union {
    keep @35 :Void;
    set @36 :Policy.AlertRules;
  }
  brake :union {
    keep @37 :Void;
    set @38 :Policy.FloodBrake;
  }
  retry :union {
    keep @39 :Void;
    set @40 :RetryPolicy;
  }
  retryBudgetMicros :union {
    keep @41 :Void;
    set @42 :Int64;
  }
  tags :union {
    keep @43 :Void;
    set @44 :List(Tag);
    # All tags: those that are not listed are removed.
  }
  timeToLiveMicros :union {
    keep @45 :Void;
    set @46 :Int64;
  }
  onExpiry :union {
    keep @47 :Void;
    set @48 :ExpiryPolicy;
  }
  maxLength :union {
    keep @49 :Void;
    set @50 :UInt64;
  }
  onOverflow :union {
    keep @51 :Void;
    set @52 :OverflowPolicy;
  }
  maxLeased :union {
    keep @53 :Void;
    set @54 :UInt64;
  }
  maxBytes :union {
    keep @55 :Void;
    set @56 :UInt64;
  }
  maxBodyBytes :union {
    keep @57 :Void;
    set @58 :UInt32;
  }
  journal :union {
    keep @59 :Void;
    set @60 :JournalOptions;
  }
  searchedAttributes :union {
    keep @61 :Void;
    set @62 :List(Text);
    # Dead letters that come later are found by these at once; earlier ones are read one by one.
  }
  keepUnresolvedMicros :union {
    keep @63 :Void;
    set @64 :Int64;
  }
  directSends :union {
    keep @65 :Void;
    set @66 :Bool;
  }
  requireGroup :union {
    keep @68 :Void;
    set @69 :Bool;
  }

  ifVersion @67 :List(Text);
  # The call fails with preconditionFailed unless QueueInfo.version is one of these. Empty: there is no condition.

  createMissing @70 :Bool;
  # As in CreateQueueRequest: create the queues that the options name and that do not exist.
}

struct DeleteQueueRequest {
  name @0 :Text;

  ifVersion @1 :List(Text);
  # The call fails with preconditionFailed unless QueueInfo.version is one of these. Empty: there is no condition.
}

struct DeclareReply {
  union {
    error @0 :Error;
    ok :group {
      created @1 :Bool;
      # False: the queue existed already.

      warnings @2 :List(Text);
      # Options that work but are known traps, one sentence each.
    }
  }
}

struct QueueRequest {
  name @0 :Text;
}

struct PauseRequest {
  # PauseRequest says what to stop, or to start again. At least one of the two must be true.

  name @0 :Text;
  deliveries @1 :Bool;
  sends @2 :Bool;
}

struct EmptyReply {
  union {
    error @0 :Error;
    ok @1 :Void;
  }
}

struct PurgeReply {
  union {
    error @0 :Error;
    purged @1 :UInt64;
    # `purged` says how many messages were deleted.
  }
}

struct QueueInfo {
  name @0 :Text;
  id @1 :UInt64;
  # Never reused: a queue that is deleted and created again gets another id.

  createdAtMicros @2 :Int64 $Json.time;
  options @3 :QueueOptions;

  counts :group {
    # `counts` says how many messages the queue has now. Each is counted in exactly one of ready, waiting and leased.

    ready @4 :UInt64;
    waiting @5 :UInt64;
    leased @6 :UInt64;
    dead @7 :UInt64;
    # `dead` says how many of all these are dead letters.
  }

  totals :group {
    # `totals` says what has happened on the queue since it was created.

    sent @8 :UInt64;
    # Messages that were sent; dead-lettering and redrive do not count.

    delivered @9 :UInt64;
    # Deliveries, charged or not.

    acked @10 :UInt64;
    deadLettered @11 :UInt64;
    # Messages moved from here to a dead letter queue.

    discarded @12 :UInt64;
    # Rejected messages that were not kept, and discarded dead letters.

    redriven @13 :UInt64;
    # Dead letters moved from here back to a queue.

    parked @14 :UInt64;
    # Dead letters moved from here to a parking queue.

    expired @17 :UInt64;
    # Messages whose time to live ran out: deleted, or dead-lettered too.

    overflowed @20 :UInt64;
    # Messages that made room in a full queue: deleted, or dead-lettered too.
  }

  alerts @15 :List(Policy.Alert);
  # The alert rules that hold now.

  brakedUntilMicros @16 :Int64 $Json.time;
  # Until when the flood brake is on. 0: it is off.

  paused :group {
    deliveries @18 :Bool;
    sends @19 :Bool;
  }

  bytes @21 :UInt64;
  # The bytes of the bodies and attributes of all its messages.

  version @22 :Text;
  # Changes whenever the options of the queue change, and differs for another queue of the same name. Hand it back as it
  # is, and do not interpret it.
}

struct DescribeReply {
  union {
    error @0 :Error;
    queue @1 :QueueInfo;
  }
}

struct ListQueuesRequest {}

struct ListQueuesReply {
  union {
    error @0 :Error;
    queues @1 :List(QueueInfo);
  }
}
