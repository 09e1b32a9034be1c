@0x9ba7387624dc33d8;

# Queues: declaring them, and what is known about them.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Durability = import "message.capnp".Durability;
using ReturnTo = import "message.capnp".ReturnTo;
using Policy = import "policy.capnp";

enum Grouping {
  # What a queue does with the groups of its messages.

  none @0;
  # Oldest first.

  ordered @1;
  # Each group in the order of its sends, to one holder at a time. A group is blocked while any of its messages is leased
  # or its first one waits for a delay; groups do not block each other.

  fair @2;
  # Groups take turns.
}

enum Deduplication {
  # By what a queue knows a message that is sent again: it is then not added, and the reply has the first one's id.

  none @0;
  byId @1;
  # By Message.deduplicationId. Messages without one are always new.

  byContent @2;
  # By that id, or by the body if there is none.
}

struct DeadLetterRoute {
  # Rejected messages of this category go to this dead letter queue.

  category @0 :Text;
  queue @1 :Text;
}

struct DeadLetterSources {
  # Which queues may use a queue as their dead letter queue.

  enum Allow {
    all @0;
    none @1;
    listed @2;
  }

  allow @0 :Allow;

  queues @1 :List(Text);
  # Of listed: by name, at most 256.
}

struct QueueOptions {
  maxDeliveries @0 :UInt32 = 5;
  # After this many charged deliveries without an ack the message is dead-lettered. 1..1000.

  deadLetterQueue @1 :Text;
  # Empty: nowhere; messages are then retried for ever.

  leaseMicros @2 :Int64 = 30000000;
  # Of deliveries whose receive does not say. 1 ms..12 h.

  durability @3 :Durability = fsync;
  # Of send, ack and reject calls that do not say.

  discardRejected @4 :Bool;
  # What reject does without a dead letter queue: false refuses it (noDeadLetterQueue), true discards for good.

  delayMicros @5 :Int64;
  # How long a message waits before its first delivery when its send does not say. 0..10 years.

  grouping @6 :Grouping;

  deduplication @7 :Deduplication;

  deduplicationWindowMicros @8 :Int64 = 300000000;
  # How long a send is remembered. 1 s..7 days.

  priorities @9 :UInt32 = 1;
  # Levels of priority, 1..16; the highest goes first. Not together with grouping.

  priorityAgingMicros @10 :Int64;
  # A message goes before those of k levels higher that were sent more than k times this later. 0: strict.

  deadLetterRoutes @11 :List(DeadLetterRoute);
  # Instead of deadLetterQueue, for these categories. At most 64, each category once.

  deadLetterSources @12 :DeadLetterSources;

  keepReplayedMicros @13 :Int64 = 7776000000000;
  # Of a dead letter queue: how long replayed dead letters stay, 90 days if it is not said. 0..100 years.

  keepAbandonedMicros @14 :Int64 = 31536000000000;
  # Abandoned ones: 365 days.

  parkingQueue @15 :Text;
  # Of a dead letter queue: where its dead letters are put aside for people. Empty: nowhere.

  autoRedrive @16 :Policy.AutoRedrive;
  # Of a dead letter queue. invalidArgument on a queue that others park in.

  alerts @17 :Policy.AlertRules;
  brake @18 :Policy.FloodBrake;

  retry @19 :RetryPolicy;

  lifetimeMicros @20 :Int64;
  # A delivery that fails longer than this after the message's first failure dead-letters it. 0: no such bound.

  tags @21 :List(Tag);

  timeToLiveMicros @22 :Int64;
  # How long a message may be handed out, from its send or the end of its delay on. 0: for ever.

  onExpiry @23 :ExpiryPolicy;

  maxLength @24 :UInt64;
  # How many messages the queue may have. 0: any number.

  onOverflow @25 :OverflowPolicy;

  maxLeased @26 :UInt64;
  # How many messages may be leased at a time. 0: any number.

  maxBytes @27 :UInt64;
  # How many bytes the bodies and attributes of all its messages may have. 0: any number.

  maxBodyBytes @28 :UInt32 = 1048576;
  # The largest body that a send may have. 1..64 MiB.

  journal @29 :JournalOptions;
  # Off by default.

  searchedAttributes @30 :List(Text);
  # Of a dead letter queue: the attributes by whose values its dead letters are found at once. At most 8.

  keepUnresolvedMicros @31 :Int64;
  # Dead letters that nobody has resolved, from their death on. 0: until somebody does.

  directSends @32 :Bool;
  # Of a dead letter queue: it takes sends, each of which is a dead letter at once. False: they are refused (queueInUse).

  requireGroup @33 :Bool;
  # A send without a group is refused (invalidArgument).
}

enum OverflowPolicy {
  # What a send to a full queue does.

  rejectSend @0;
  # It is refused (queueFull).

  deadLetterHead @1;
  # It succeeds, and the messages next in turn go to the dead letter queue, cause overflow.

  dropHead @2;
  # It succeeds, and they are gone.
}

enum ExpiryPolicy {
  # What becomes of a message whose time to live ran out.

  deadLetter @0;
  # Needs a dead letter queue wherever there is a time to live.

  drop @1;
}

struct JournalOptions {
  # How much a queue remembers of where its messages have been: see messageHistory.

  maxEntries @0 :UInt64;
  # Steps of all messages together. 0: no journal; 100..100000000.

  keepMicros @1 :Int64;
  # How long a step is remembered. 0: as long as there is room; up to 100 years.
}

enum RetryKind {
  immediate @0;
  fixed @1;
  exponential @2;
  stages @3;
}

struct RetryPolicy {
  # How long a message waits after a failed delivery. What the kind does not use must be absent.

  kind @0 :RetryKind;

  baseMicros @1 :Int64;
  # Fixed: each wait. Exponential: the first wait, doubled with each further failure.

  capMicros @2 :Int64;
  # Exponential: the longest wait.

  jitter @3 :Float64;
  # Each wait is shortened by a share of itself between 0 and this. 0..1.

  stagesMicros @4 :List(Int64);
  # Stages: the waits after the first, the second, ... failure; the last one repeats. 1..32.

  to @5 :ReturnTo;
  # Where it goes then. Tail is refused on an ordered queue.
}

struct Tag {
  # At most 50 on a queue, with different names.

  name @0 :Text;
  # 1..128 bytes.

  value @1 :Text;
  # 0..256 bytes.
}

struct CreateQueueRequest {
  name @0 :Text;
  # Letters, digits, '.', '_' and '-'; 1..128 bytes.

  options @1 :QueueOptions;
}

struct AlterQueueRequest {
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
  lifetimeMicros :union {
    keep @41 :Void;
    set @42 :Int64;
  }
  tags :union {
    keep @43 :Void;
    set @44 :List(Tag);
    # All of them.
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
    # Of dead letters that come later.
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
  # Only if the queue's version is one of these, else preconditionFailed. Empty: whatever it is.
}

struct DeleteQueueRequest {
  name @0 :Text;

  ifVersion @1 :List(Text);
  # Only if the queue's version is one of these, else preconditionFailed. Empty: whatever it is.
}

struct DeclareReply {
  union {
    error @0 :Error;
    ok :group {
      created @1 :Bool;
      # False: it existed.

      warnings @2 :List(Text);
      # Options that work but are known traps, one sentence each.
    }
  }
}

struct QueueRequest {
  name @0 :Text;
}

struct PauseRequest {
  # At least one of the two.

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
    # How many messages were deleted.
  }
}

struct QueueInfo {
  name @0 :Text;
  id @1 :UInt64;
  # Never reused: a queue deleted and created again is another queue.

  createdAtMicros @2 :Int64 $Json.time;
  options @3 :QueueOptions;

  counts :group {
    # Now. A message is in exactly one of ready, waiting and leased.

    ready @4 :UInt64;
    waiting @5 :UInt64;
    leased @6 :UInt64;
    dead @7 :UInt64;
    # How many of all these are dead letters.
  }

  totals :group {
    # Since the queue was created.

    sent @8 :UInt64;
    # By send, not by dead-lettering or redrive.

    delivered @9 :UInt64;
    # Charged or not.

    acked @10 :UInt64;
    deadLettered @11 :UInt64;
    # Moved from here to the dead letter queue.

    discarded @12 :UInt64;
    redriven @13 :UInt64;
    # Moved from here, a dead letter queue, back to a source.

    parked @14 :UInt64;
    # Moved from here, a dead letter queue, to be put aside.

    expired @17 :UInt64;
    # Their time to live ran out: dropped, or dead-lettered too.

    overflowed @20 :UInt64;
    # They made room in a full queue: dropped, or dead-lettered too.
  }

  alerts @15 :List(Policy.Alert);
  # That hold now.

  brakedUntilMicros @16 :Int64 $Json.time;
  # The flood brake is on until then; 0: it is off.

  paused :group {
    deliveries @18 :Bool;
    sends @19 :Bool;
  }

  bytes @21 :UInt64;
  # Of the bodies and attributes of all its messages.

  version @22 :Text;
  # Opaque. Another one when its options have changed, and of another queue of the same name.
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
