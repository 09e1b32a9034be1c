@0x8eea5f39fab5800f;

# Dead letters: their failure records, and the calls that find, change and import them.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Http = import "http.capnp";
using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using Attribute = import "value.capnp".Attribute;
using Consumer = import "value.capnp".Consumer;
using MessageId = import "value.capnp".MessageId;
using Rejection = import "value.capnp".Rejection;

interface DeadLetterCalls {
  # The calls that find, count, change and import dead letters.

  listDeadLetters @0 ListDeadLettersRequest -> ListDeadLettersReply
      $Http.route(get = "/v1/queues/{queue}/dead-letters", summary = "Dead letters of a queue, by time of death");
  # Looks at the dead letters of a queue without receiving them. Errors: queueNotFound, invalidArgument, limitExceeded.

  findDeadLetters @1 FindDeadLettersRequest -> FindDeadLettersReply
      $Http.route(post = "/v1/dead-letters/find",
          summary = "Dead letters of all queues, or of several, by what they have in them");
  # Looks for dead letters in all queues, or in several, queue by queue in the order of their names. Errors:
  # queueNotFound, invalidArgument, limitExceeded.

  groupDeadLetters @2 GroupDeadLettersRequest -> GroupDeadLettersReply
      $Http.route(get = "/v1/queues/{queue}/dead-letters/groups",
          summary = "Dead letters of a queue, counted by what they have in common");
  # Counts the dead letters of a queue by what they have in common. Errors: queueNotFound, invalidArgument,
  # limitExceeded.

  deadLetterStatistics @3 DeadLetterStatisticsRequest -> DeadLetterStatisticsReply
      $Http.route(get = "/v1/queues/{queue}/dead-letters/statistics",
          summary = "Dead letters of a queue by age, and those that came by hour and day");
  # Counts the dead letters of a queue by age, and those that came in each of the last hours and days by cause and
  # category. Errors: queueNotFound, limitExceeded.

  changeDeadLetters @4 ChangeDeadLettersRequest -> DeadLettersChangedReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/change",
          summary = "Sets the status and the assignee, and adds a note");
  # Sets the status and the assignee of dead letters, and adds a note. The call works in bounded steps, each of them one
  # atomic write. Fsynced. Errors: queueNotFound, invalidArgument, limitExceeded; closed if nothing was changed yet, and
  # outcomeUnknown if the call ended part-way.

  discardDeadLetters @5 DiscardDeadLettersRequest -> DeadLettersChangedReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/discard",
          summary = "Deletes the messages of dead letters for good");
  # Deletes the messages of dead letters for good; their records stay, as abandoned history. The call works in bounded
  # steps, each of them one atomic write. Fsynced. Errors: those of changeDeadLetters.

  importDeadLetters @6 ImportDeadLettersRequest -> ImportDeadLettersReply
      $Http.route(post = "/v1/queues/{queue}/dead-letters/import", summary = "Puts exported dead letters back");
  # Puts exported dead letters back, under their own ids, in one atomic write. Fsynced. A redrive will take each of them
  # to the queue that its record names as its source, so the import needs the right to that queue too. Errors:
  # queueNotFound, invalidArgument, limitExceeded, diskFull.
}

enum DeadLetterStatus {
  any @0;
  # In a filter: every status. In a change: the status stays. It occurs nowhere else.

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
  # The consumer released the message, charged.

  rejected @3;
}

struct Attempt {
  failedAtMicros @0 :Int64 $Json.time;
  end @1 :AttemptEnd;
  consumer @2 :Consumer;

  heldMillis @3 :UInt32;
  # The time from the hand-out to the failure. 0 also if it is not known.

  extended @4 :UInt8;
  # `extended` says how often the lease was extended. 255 means that often or more often.

  failure @5 :Rejection;
  # The consumer said this of the failure. Texts are cut to 1024 bytes, the stack trace to 4096 bytes, the nested
  # errors to 4. It is empty for the last attempt, which the record itself describes.
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
  # The last 32 notes, oldest first.

  notesDropped @4 :UInt32;
  # `notesDropped` says how many older notes were dropped.

  audit @5 :List(TriageNote);
  # `audit` says who did what, and when: the last 32 entries, oldest first.

  auditDropped @6 :UInt32;
  # `auditDropped` says how many older entries were dropped.
}

enum DeathCause {
  unknown @0;
  # Never sent.

  maxDeliveries @1;
  # The message was delivered maxDeliveries times without an ack.

  rejected @2;
  # A consumer rejected the message.

  expired @3;
  # The time to live of the message ran out.

  retryBudget @4;
  # The message failed after the queue's retry budget (QueueOptions.retryBudgetMicros) was over.

  overflow @5;
  # The message made room in a full queue.

  sent @6;
  # A producer sent the message to the dead letter queue itself.
}

struct FirstDeath {
  # FirstDeath says how a message died for the first time.

  cause @0 :DeathCause;
  category @1 :Text;
  reason @2 :Text;
  code @3 :Text;
  sourceQueue @4 :Text;
  # The queue that it died in.

  diedAtMicros @5 :Int64 $Json.time;
  fingerprint @6 :UInt64 $Json.hex;
}

struct FailureRecord {
  messageId @0 :MessageId;
  sourceQueueId @1 :UInt64;
  sourceQueue @2 :Text;
  # The name that the source queue had when the message died.

  sourceSeq @3 :UInt64 $Json.place;
  sentAtMicros @4 :Int64 $Json.time;
  # `sentAtMicros` says when the message was first enqueued.

  cause @5 :DeathCause;

  rejection @6 :Rejection;
  # The consumer described the last failure by these fields. One that it did not describe is empty, except the reason:
  # that then tells of the lease that ran out, or of the cause of the death.

  deliveries @7 :UInt32;
  # Charged deliveries in the last life of the message.

  replays @8 :UInt32;
  # `replays` says how often the message was redriven before this death.

  firstFailedAtMicros @9 :Int64 $Json.time;
  # `firstFailedAtMicros` says when a delivery of the message first failed, earlier lives included. 0 if none ever did.

  lastFailedAtMicros @10 :Int64 $Json.time;
  # `lastFailedAtMicros` says when the last failed delivery of the message was. 0 if no delivery ever failed.

  diedAtMicros @11 :Int64 $Json.time;

  consumer @12 :Consumer;
  # `consumer` says who had the message last.

  correlationId @13 :Data;
  # The value of the message's "correlation-id" attribute.

  group @14 :Data;
  # The message's group.

  workflowVersion @15 :Data;
  # The value of the message's "workflow-version" attribute.

  visits @16 :UInt32;
  # `visits` says how often the message came to a dead letter queue, this time included.

  attempts @17 :List(Attempt);
  # The failed deliveries of the last life: the first 3 and the last 5.

  attemptsLeftOut @18 :UInt32;
  # `attemptsLeftOut` says how many attempts between the first and the last ones are not kept.

  fingerprint @19 :UInt64 $Json.hex;
  # A number that is equal for failures that look alike.

  priority @20 :UInt32;
  # The message's priority.

  firstDeath @21 :FirstDeath;
  # The first death of a message that died before. Null if this is the first death, or if the earlier one is not known.

  searched @22 :List(Attribute);
  # The attributes of the message that its dead letter queue searches by. Each value is cut to 256 bytes, and is empty
  # where the message does not have the attribute.
}

enum ReplayOutcome {
  none @0;
  # The message was not replayed.

  pending @1;
  # The outcome is not known: the message is on its way, was purged or deleted with its queue, or a read failed.

  acked @2;
  diedElsewhere @3;
  # The message died again and went to another dead letter queue.

  dropped @4;
  # The message was deleted: it expired, made room or was rejected, and its queue drops or discards then.
}

struct DeadLetter {
  seq @0 :UInt64 $Json.place;
  # The place of the dead letter in its queue.

  record @1 :FailureRecord;

  body @2 :Data;
  # Absent if the request did not ask for bodies, if it was redacted, and in history, whose messages are gone. An empty body
  # is there, and has no bytes. An import refuses a dead letter without a body.

  attributes @3 :List(Attribute);
  # Filled in only if the request asked for bodies.

  id @4 :MessageId;
  # The id of the dead letter itself, not of the message. Each death has its own, except that deaths that share a record
  # share the id.

  triage @5 :Triage;

  history @6 :Bool;
  # True: the message is not in the dead letter queue any more.

  redacted @7 :List(Text);
  # `redacted` says what was left out before it was shown: "body", "attribute card".

  replayOutcome @8 :ReplayOutcome;
  # For history with the status replayed: what has happened to the message since.

  replayOutcomeAtMicros @9 :Int64 $Json.time;
  # `replayOutcomeAtMicros` says when the outcome was known. 0 while it is pending.

  original :union {
    none @10 :Void;
    before :group {
      # The message as it was before a redrive first edited it. Filled in only if the request asked for bodies.

      body @11 :Data;
      attributes @12 :List(Attribute);
    }
  }
}

struct DeadLetterFilter {
  # Selects dead letters: those for which everything that is set holds. A list or text that is a null pointer excludes
  # nothing; an empty text selects dead letters that do not have the value.

  ids @0 :List(MessageId);
  # Ids of messages or of dead letters; at most 1000. A dead letter is selected by `ids` or by `seqs`, if any of the two
  # has entries.

  seqs @1 :List(UInt64) $Json.place;
  # Places in the dead letter queue; at most 1000.

  diedFromMicros @2 :Int64 = -9223372036854775808 $Json.time;
  # Selects deaths at this time or later. The default selects all.

  diedBeforeMicros @3 :Int64 = 9223372036854775807 $Json.time;
  # Selects deaths before this time. The default selects all.

  cause @4 :DeathCause;
  # unknown: every cause.

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
  # A part of the reason. Upper and lower case are the same for A to Z, and differ for letters beyond ASCII. Empty:
  # every reason.

  history @14 :Bool;
  # Selects history too: records whose message is not in the dead letter queue any more. The status replayed implies it.

  correlationId @15 :Data;
  # The value of the attribute `correlation-id`.

  workflowVersion @16 :Data;
  # The value of the attribute `workflow-version`.

  minReplays @17 :UInt32;
  # Selects messages that were redriven this often or more often.

  attributes @18 :List(Attribute);
  # Attributes that the message has, with these values, of which the first 256 bytes are compared; at most 8. Dead
  # letters are found at once by attributes that the queue searches by (QueueOptions.searchedAttributes) and by the
  # correlation id. For other attributes they are read one by one.

  body @19 :Text;
  # A part of the message's body; case counts as in `reason`. Bodies are read one by one. Empty: every body.
}

struct DeadLetterCursor $Json.opaque {
  history @0 :Bool;
  diedAtMicros @1 :Int64 $Json.time;
  seq @2 :UInt64;
}

struct Redaction {
  # Redaction says what the reply leaves out.

  bodies @0 :Bool;
  # Leave out bodies and the partial output of failures.

  attributes @1 :List(Text);
  # Leave out the values of the attributes with these names.
}

struct ListDeadLettersRequest {
  queue @0 :Text;

  start :union {
    begin @1 :Void;
    after @2 :DeadLetterCursor;
    # Continue after this place: `next` of the previous page.
  }

  max @3 :UInt32 = 100;
  # 1..Limits.listPage.

  filter @4 :DeadLetterFilter;
  bodies @5 :Bool;
  # Fill in bodies and attributes.

  newestFirst @6 :Bool;
  # The latest death first; history still comes last.

  redact @7 :Redaction;
}

struct ListDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(DeadLetter);
      # By time of death; dead letters whose message is in the queue come before history. There may be fewer than `max`,
      # or none, even if there are more: a page has at most Limits.batchBytes of bodies and attributes, and a call looks
      # at no more than 10,000 records.

      next :union {
        none @2 :Void;
        after @3 :DeadLetterCursor;
        # There may be more; continue after this place.
      }

      timeMicros @4 :Int64 $Json.time;
      # The server's time when the page was read; measure ages by it.
    }
  }
}

struct FindCursor $Json.opaque {
  queue @0 :Text;
  started @1 :Bool;
  # False: the place is before the first dead letter of the queue, and the other fields have no meaning.

  history @2 :Bool;
  diedAtMicros @3 :Int64 $Json.time;
  seq @4 :UInt64;
}

struct FindDeadLettersRequest {
  filter @0 :DeadLetterFilter;

  queues @1 :List(Text);
  # The queues to search, at most 1000. Empty: all queues that the caller may operate.

  start :union {
    begin @2 :Void;
    after @3 :FindCursor;
    # Continue after this place: `next` of the previous page.
  }

  max @4 :UInt32 = 100;
  # 1..Limits.listPage.

  bodies @5 :Bool;
  # Fill in bodies and attributes.

  redact @6 :Redaction;
}

struct FoundDeadLetter {
  queue @0 :Text;
  # The dead letter queue that it is in.

  letter @1 :DeadLetter;
}

struct FindDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      items @1 :List(FoundDeadLetter);
      # By name of their queue, and within a queue in the order of listDeadLetters. There may be fewer than `max`, or
      # none, even if there are more.

      next :union {
        none @2 :Void;
        after @3 :FindCursor;
        # There may be more; continue after this place.
      }

      scanned @4 :List(Text);
      # Queues of this page whose dead letters were read one by one, since their index does not have all that the filter
      # asks for.

      timeMicros @5 :Int64 $Json.time;
      # The server's time when the page was read; measure ages by it.
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
  by @1 :DeadLetterGrouping $Json.required;
  filter @2 :DeadLetterFilter;
  max @3 :UInt32 = 100;
  # `max` says how many of the largest groups to return: 1..Limits.listPage.

  redact @4 :Redaction;
}

struct DeadLetterGroup {
  value @0 :Text;
  # `value` says what the dead letters of the group have in common.

  count @1 :UInt64;
  firstDiedAtMicros @2 :Int64 $Json.time;
  lastDiedAtMicros @3 :Int64 $Json.time;
  sample @4 :DeadLetter;
  # The newest dead letter of the group, without body.
}

struct GroupDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      groups @1 :List(DeadLetterGroup);
      # The largest group first.

      leftOut @2 :UInt64;
      # `leftOut` says how many groups there are beyond `max`.

      total @3 :UInt64;
      # The dead letters of all groups, also of those left out.

      complete @4 :Bool;
      # False: the numbers are incomplete, since only the first 1,000,000 records that may match were read.
    }
  }
}

struct DeadLetterStatisticsRequest {
  queue @0 :Text;
  hours @1 :UInt32 = 24;
  # For how many hours to count arrivals, the current one included: at most 2160.

  days @2 :UInt32 = 30;
  # For how many days to count arrivals, the current one included: at most 90.
}

struct ArrivalCount {
  # ArrivalCount says how many dead letters came with one category or one cause.

  value @0 :Text;
  count @1 :UInt64;
}

struct ArrivalTotals {
  # ArrivalTotals says how many dead letters ever came to a queue. Restarts and purges do not reset these numbers.

  categories @0 :List(ArrivalCount);
  # The most frequent category first; an empty text counts dead letters without a category.

  otherCategories @1 :UInt64;
  # Dead letters of categories beyond the first 64.
}

struct Arrivals {
  # The dead letters that came in one hour or day of UTC.

  fromMicros @0 :Int64 $Json.time;
  # The beginning of the hour or day.

  total @1 :UInt64;
  categories @2 :List(ArrivalCount);
  # The most frequent category first; an empty text counts dead letters without a category.

  otherCategories @3 :UInt64;
  # Dead letters of categories beyond the first 64.

  causes @4 :List(ArrivalCount);
  # The most frequent cause first.
}

struct AgeBucket {
  # The dead letters that died at least `from` ago and less than `to` ago.

  fromMicros @0 :Int64;
  toMicros @1 :Int64;
  # In the last bucket the largest Int64.

  count @2 :UInt64;
}

struct DeadLetterStatisticsReply {
  union {
    error @0 :Error;
    ok :group {
      atMicros @1 :Int64 $Json.time;
      # The server's time, from which ages are counted.

      dead @2 :UInt64;
      # Dead letters whose message is in the queue; history does not count.

      oldest :union {
        none @3 :Void;
        diedAtMicros @4 :Int64 $Json.time;
      }
      ages @5 :List(AgeBucket);
      # These dead letters by age, the youngest first. Ages are exact to the minute of the death.

      arrivalsLastMinute @6 :UInt32;
      # Dead letters that came in the last whole minute. Those from before the server's engine was opened do not count.

      hours @7 :List(Arrivals);
      # Oldest first; hours in which nothing died are left out.

      days @8 :List(Arrivals);
      # Oldest first; days in which nothing died are left out.
    }
  }
}

struct DeadLetterSelection {
  # DeadLetterSelection says which dead letters a bulk call changes, and who asks for it. A message that dies after the
  # call began is not touched.

  filter @0 :DeadLetterFilter;

  all @1 :Bool;
  # Must be true if the filter is empty, which means every dead letter. Otherwise an empty filter is refused
  # (invalidArgument).

  actor @2 :Text;
  # `actor` says who asks, for the audit. At most 128 bytes.

  dryRun @3 :Bool;
  # True: nothing is changed, and the reply counts what would be.

  from @4 :BulkPlace;
  # `from` says where this part begins: `next` of the reply to the previous part. Null: at the beginning.
}

struct BulkPlace $Json.opaque {
  # A place between two parts of a bulk call. One call changes a few thousand dead letters; a client that wants all of
  # them changed calls again until `next` is null.

  after @0 :Text;
  end @1 :UInt64;
  # `end` says where the first part found the end of the queue. Messages that died since are not touched.
}

struct ChangeDeadLettersRequest {
  queue @0 :Text;
  selection @1 :DeadLetterSelection $Json.required;

  status @2 :DeadLetterStatus;
  # The new status. any: it stays. The status may change among new, investigating, fixed and abandoned, but not back to
  # new; it can neither be set to replayed nor changed from it.

  assignee :union {
    keep @3 :Void;
    set @4 :Text;
    # Empty: nobody. At most 128 bytes.
  }

  note :union {
    none @5 :Void;
    add @6 :Text;
    # 1..4096 bytes.
  }
}

struct DiscardDeadLettersRequest {
  queue @0 :Text;
  selection @1 :DeadLetterSelection $Json.required;
}

struct DeadLettersChangedReply {
  union {
    error @0 :Error;
    ok :group {
      changed @1 :UInt64;

      refused @2 :UInt64;
      # Dead letters that could not be changed: the step of the status is not legal or, for a discard, a consumer has
      # the dead letter leased.

      next @3 :BulkPlace;
      # `next` says where the next part begins. Null: this was the last part.

      unchanged @4 :UInt64;
      # Dead letters that were so already: nothing was written.
    }
  }
}

struct ImportDeadLettersRequest {
  queue @0 :Text;
  letters @1 :List(DeadLetter) $Json.required;
  # At most Limits.listPage, with at most Limits.batchBytes of bodies and attributes. `seq` is ignored.
}

struct ImportDeadLettersReply {
  union {
    error @0 :Error;
    ok :group {
      imported @1 :UInt64;
      duplicates @2 :UInt64;
      # Dead letters that are in the queue already, or were redriven from it.

      refused @3 :UInt64;
      # History, which has no message to bring back.
    }
  }
}
