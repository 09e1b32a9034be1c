@0x8eea5f39fab5800f;

# Dead letters: why a message died.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Attribute = import "value.capnp".Attribute;
using Consumer = import "value.capnp".Consumer;
using MessageId = import "value.capnp".MessageId;
using Rejection = import "value.capnp".Rejection;

enum DeadLetterStatus {
  any @0;
  # In a filter; never sent otherwise.

  new @1;
  investigating @2;
  fixed @3;
  replayed @4;
  abandoned @5;
}

enum AttemptEnd {
  unknown @0;
  # Never sent.

  leaseExpired @1;
  released @2;
  # Given back, charged.

  rejected @3;
}

struct Attempt {
  failedAtMicros @0 :Int64 $Json.time;
  end @1 :AttemptEnd;
  consumer @2 :Consumer;

  heldMillis @3 :UInt32;
  # From the hand-out to the failure.

  extended @4 :UInt8;
  # How often the lease was extended; 255: as often or more often.

  failure @5 :Rejection;
  # What the consumer said of it, its texts cut to 1024 bytes, the stack trace to 4096, the nested errors to 4. Of the
  # last attempt it is empty, since the record itself says it.
}

struct TriageNote {
  atMicros @0 :Int64 $Json.time;
  actor @1 :Text;
  text @2 :Text;
}

struct Triage {
  status @0 :DeadLetterStatus;
  statusSinceMicros @1 :Int64 $Json.time;
  assignee @2 :Text;
  notes @3 :List(TriageNote);
  # Oldest first, the last 32.

  notesDropped @4 :UInt32;
  audit @5 :List(TriageNote);
  # Who did what when. Oldest first, the last 32.

  auditDropped @6 :UInt32;
}

enum DeathCause {
  unknown @0;
  # Never sent.

  maxDeliveries @1;
  # Delivered maxDeliveries times without an ack.

  rejected @2;
  expired @3;
  # Its time to live ran out.

  lifetime @4;
  # It failed longer after its first failure than the queue's lifetime.

  overflow @5;
  # It made room in a full queue.

  sent @6;
  # It did not: a producer sent it to the dead letter queue.
}

struct FirstDeath {
  # How a message died for the first time.

  cause @0 :DeathCause;
  category @1 :Text;
  reason @2 :Text;
  code @3 :Text;
  sourceQueue @4 :Text;
  # Where it came from.

  diedAtMicros @5 :Int64 $Json.time;
  fingerprint @6 :UInt64 $Json.hex;
}

struct FailureRecord {
  messageId @0 :MessageId;
  sourceQueueId @1 :UInt64;
  sourceQueue @2 :Text;
  # Its name when the message died.

  sourceSeq @3 :UInt64;
  sentAtMicros @4 :Int64 $Json.time;
  cause @5 :DeathCause;

  rejection @6 :Rejection;
  # Empty texts where the consumer gave none.

  deliveries @7 :UInt32;
  # Charged, in its last life.

  replays @8 :UInt32;
  # How often it was redriven before this death.

  firstFailedAtMicros @9 :Int64 $Json.time;
  # Of its first failed delivery ever, earlier lives included. 0 if none ever failed.

  lastFailedAtMicros @10 :Int64 $Json.time;
  # Of its last failed delivery. 0 if none ever failed.

  diedAtMicros @11 :Int64 $Json.time;

  consumer @12 :Consumer;
  # Who had it last.

  correlationId @13 :Data;
  # The value of the message's "correlation-id" attribute.

  group @14 :Data;
  # The message's.

  workflowVersion @15 :Data;
  # The value of the message's "workflow-version" attribute.

  visits @16 :UInt32;
  # How often it came to a dead letter queue, this time included.

  attempts @17 :List(Attempt);
  # Its failed deliveries: the first 3 and the last 5.

  attemptsLeftOut @18 :UInt32;
  # How many were between those.

  fingerprint @19 :UInt64 $Json.hex;
  # Equal for failures that look alike.

  priority @20 :UInt32;
  # The message's.

  firstDeath @21 :FirstDeath;
  # Of a message that died before, as far as that is known. Null: it did not.

  searched @22 :List(Attribute);
  # The message's attributes that its dead letter queue searches by: of each value the first 256 bytes, and none where
  # the message does not have it.
}

enum ReplayOutcome {
  none @0;
  # It was not replayed.

  pending @1;
  # Not known: it is on its way, or was purged or deleted with its queue.

  acked @2;
  diedElsewhere @3;
  # Again, to another dead letter queue.

  dropped @4;
  # It expired, made room or was rejected, and its queue drops or discards such messages.
}

struct DeadLetter {
  seq @0 :UInt64;
  # Its place in the dead letter queue.

  record @1 :FailureRecord;

  body @2 :Data;
  # This and the next only if bodies were asked for.

  attributes @3 :List(Attribute);

  id @4 :MessageId;
  # Its own: another one for each death, but for those that share a record.

  triage @5 :Triage;

  history @6 :Bool;
  # The message itself is not in the dead letter queue any more.

  redacted @7 :List(Text);
  # What was taken out: "body", "attribute card".

  replayOutcome @8 :ReplayOutcome;
  # Of history with status replayed: what became of the message.

  replayOutcomeAtMicros @9 :Int64 $Json.time;

  original :union {
    none @10 :Void;
    before :group {
      # The message as it was before a redrive first edited it. Only if bodies were asked for.

      body @11 :Data;
      attributes @12 :List(Attribute);
    }
  }
}

struct DeadLetterFilter {
  # Which dead letters are meant: those for which everything that is set holds. Of lists and texts that may be absent,
  # a null pointer means that nothing is asked; an empty text those without.

  ids @0 :List(MessageId);
  # Of messages, or dead letters' own; at most 1000. Empty: nothing is asked; also if `seqs` has some.

  seqs @1 :List(UInt64);
  diedFromMicros @2 :Int64 = -9223372036854775808 $Json.time;
  # At or after; the default: nothing is asked, as below.

  diedBeforeMicros @3 :Int64 = 9223372036854775807 $Json.time;
  cause @4 :DeathCause;
  # unknown: nothing is asked.

  category @5 :Text;
  code @6 :Text;
  fingerprint :union {
    any @7 :Void;
    only @8 :UInt64 $Json.hex;
  }
  source @9 :Text;
  # The source queue's name.

  consumerVersion @10 :Text;
  status @11 :DeadLetterStatus;
  assignee @12 :Text;
  reason @13 :Text;
  # A part of the reason; A to Z are like a to z, letters beyond ASCII only like themselves. Empty: nothing is asked.

  history @14 :Bool;
  # Also records whose message is not in the dead letter queue any more. Implied by status replayed.

  correlationId @15 :Data;
  # The value of the attribute `correlation-id`.

  workflowVersion @16 :Data;
  # The value of the attribute `workflow-version`.

  minReplays @17 :UInt32;
  # Redriven at least so often.

  attributes @18 :List(Attribute);
  # Attributes of the message with their values, of which 256 bytes are compared; at most 8. Found at once by names that
  # the queue searches by (searchedAttributes), as is a correlation id; else dead letters are read one by one.

  body @19 :Text;
  # A part of the message's body, compared as a reason is: body after body. Empty: nothing is asked.
}

struct DeadLetterCursor $Json.opaque {
  history @0 :Bool;
  diedAtMicros @1 :Int64 $Json.time;
  seq @2 :UInt64;
}

struct Redaction {
  bodies @0 :Bool;
  # Take out the body and the partial output.

  attributes @1 :List(Text);
  # And the values of the attributes of these names.
}

struct ListDeadLettersRequest {
  queue @0 :Text;

  start :union {
    begin @1 :Void;
    after @2 :DeadLetterCursor;
    # Continue: `next` of the page before.
  }

  max @3 :UInt32 = 100;
  # 1..Limits.listPage.

  filter @4 :DeadLetterFilter;
  bodies @5 :Bool;
  newestFirst @6 :Bool;
  redact @7 :Redaction;
}

struct ListDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(DeadLetter);
      # By time of death; those whose message is in the queue before history. May be fewer than `max`, or none, even if
      # there are more: a page carries at most batchBytes of bodies and attributes, and a call looks at no more than
      # 10,000 records.

      next :union {
        none @2 :Void;
        after @3 :DeadLetterCursor;
        # There may be more.
      }

      timeMicros @4 :Int64 $Json.time;
      # When it was read, by the server's time: what ages are to be taken by.
    }
  }
}

struct FindCursor $Json.opaque {
  queue @0 :Text;
  begun @1 :Bool;
  # False: before the queue's first one, and the rest is nothing.

  history @2 :Bool;
  diedAtMicros @3 :Int64 $Json.time;
  seq @4 :UInt64;
}

struct FindDeadLettersRequest {
  filter @0 :DeadLetterFilter;

  queues @1 :List(Text);
  # Only these, at most 1000. Empty: all that the caller may operate.

  start :union {
    begin @2 :Void;
    after @3 :FindCursor;
    # Continue: `next` of the page before.
  }

  max @4 :UInt32 = 100;
  # 1..Limits.listPage.

  bodies @5 :Bool;
  redact @6 :Redaction;
}

struct FoundDeadLetter {
  queue @0 :Text;
  # Where it lies.

  letter @1 :DeadLetter;
}

struct FindDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(FoundDeadLetter);
      # By name of their queue, then as listDeadLetters. May be fewer than `max`, or none, even if there are more.

      next :union {
        none @2 :Void;
        after @3 :FindCursor;
        # There may be more.
      }

      scanned @4 :List(Text);
      # The queues of this page of which the index does not have all that was asked: read one by one.

      timeMicros @5 :Int64 $Json.time;
      # When it was read, by the server's time.
    }
  }
}

enum DeadLetterGrouping {
  unknown @0;
  # Never sent.

  fingerprint @1;
  category @2;
  code @3;
  cause @4;
  status @5;
  assignee @6;
  source @7;
  consumerVersion @8;
}

struct GroupDeadLettersRequest {
  queue @0 :Text;
  by @1 :DeadLetterGrouping;
  filter @2 :DeadLetterFilter;
  max @3 :UInt32 = 100;
  # The largest groups: 1..Limits.listPage.

  redact @4 :Redaction;
}

struct DeadLetterGroup {
  value @0 :Text;
  # What its members have in common.

  count @1 :UInt64;
  firstDiedAtMicros @2 :Int64 $Json.time;
  lastDiedAtMicros @3 :Int64 $Json.time;
  sample @4 :DeadLetter;
  # Its newest, without body.
}

struct GroupDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      groups @1 :List(DeadLetterGroup);
      # The largest first.

      leftOut @2 :UInt64;
      # Groups that did not fit into `max`.

      total @3 :UInt64;
      # Dead letters in all groups.

      complete @4 :Bool;
      # False: only the first 1,000,000 dead letters that may match were looked at.
    }
  }
}

struct DeadLetterStatisticsRequest {
  queue @0 :Text;
  hours @1 :UInt32 = 24;
  # How far back to tell of arrivals, this hour included: at most 2160.

  days @2 :UInt32 = 30;
  # The same in days: at most 90.
}

struct ArrivalCount {
  value @0 :Text;
  count @1 :UInt64;
}

struct ArrivalTotals {
  # How many dead letters have come to a queue since it was created; kept over restarts and purges.

  categories @0 :List(ArrivalCount);
  # The most frequent first; empty texts are those without one.

  otherCategories @1 :UInt64;
  # Of categories beyond the first 64.
}

struct Arrivals {
  # The dead letters that came in one hour or day of UTC.

  fromMicros @0 :Int64 $Json.time;
  # Its beginning.

  total @1 :UInt64;
  categories @2 :List(ArrivalCount);
  # The most frequent first; empty texts are those without one.

  otherCategories @3 :UInt64;
  # Of categories beyond the first 64.

  causes @4 :List(ArrivalCount);
}

struct AgeBucket {
  # Dead letters that died at least `from` ago and less than `to`.

  fromMicros @0 :Int64;
  toMicros @1 :Int64;
  # Of the last one the largest number there is.

  count @2 :UInt64;
}

struct DeadLetterStatisticsReply {
  union {
    error @0 :Error;
    ok :group {
      atMicros @1 :Int64 $Json.time;
      # The server's time: ages are counted from here.

      dead @2 :UInt64;
      oldest :union {
        none @3 :Void;
        diedAtMicros @4 :Int64 $Json.time;
      }
      ages @5 :List(AgeBucket);
      # The youngest first, to the minute.

      arrivalsLastMinute @6 :UInt32;
      # In the last whole minute; counted since the server's engine was opened.

      hours @7 :List(Arrivals);
      # Oldest first; those in which nothing died are left out, as below.

      days @8 :List(Arrivals);
    }
  }
}

struct DeadLetterSelection {
  # Which dead letters a bulk call is about, and who asks. What dies after the call began is not touched.

  filter @0 :DeadLetterFilter;

  all @1 :Bool;
  # An empty filter means every dead letter; it is refused (invalidArgument) unless this is set.

  actor @2 :Text;
  # For the audit. At most 128 bytes.

  dryRun @3 :Bool;
  # Changes nothing, counts what would be changed.

  from @4 :BulkPlace;
  # Where the reply to the call before says that the next part begins. Null: at the beginning.
}

struct BulkPlace $Json.opaque {
  # A call changes a few thousand dead letters. Who wants all of them changed calls again for what is left.

  after @0 :Text;
  end @1 :UInt64;
  # What died since the first call is not touched.
}

struct ChangeDeadLettersRequest {
  queue @0 :Text;
  selection @1 :DeadLetterSelection;

  status @2 :DeadLetterStatus;
  # any: it stays. Among new, investigating, fixed and abandoned all steps are legal but that back to new.

  assignee :union {
    keep @3 :Void;
    set @4 :Text;
    # Empty for nobody; at most 128 bytes.
  }

  note :union {
    none @5 :Void;
    add @6 :Text;
    # 1..4096 bytes.
  }
}

struct DiscardDeadLettersRequest {
  queue @0 :Text;
  selection @1 :DeadLetterSelection;
}

struct DeadLettersChangedReply {
  union {
    error @0 :Error;
    ok :group {
      changed @1 :UInt64;

      refused @2 :UInt64;
      # The step of the status is not legal; or, of discard, a consumer has it leased.

      next @3 :BulkPlace;
      # Null: that was the last part.

      unchanged @4 :UInt64;
      # Were so already: nothing was written.
    }
  }
}

struct ImportDeadLettersRequest {
  queue @0 :Text;
  letters @1 :List(DeadLetter);
  # At most Limits.listPage, and batchBytes of bodies and attributes. `seq` is not looked at.
}

struct ImportDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      imported @1 :UInt64;
      duplicates @2 :UInt64;
      # A dead letter of that id is, or was, in the queue already.

      refused @3 :UInt64;
      # History: there is no message to bring back.
    }
  }
}
