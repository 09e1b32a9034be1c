@0xe27b3d90c5a1f486;

# Policies: what queues do about their dead letters by themselves, and when they call for people.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";

enum OnGiveUp {
  # OnGiveUp says what happens to a dead letter that has failed for longer than giveUpAfter.

  park @0;
  # It is parked, or stays if the queue has no parking queue.

  archive @1;
  # It is archived and deleted with its record.
}

struct AutoRedrive {
  # AutoRedrive says how a dead letter queue redrives its dead letters by itself. A dead letter that is due goes back to
  # the queue that it came from.

  everyMicros @0 :Int64;
  # `everyMicros` says how often to look for due dead letters: 1 s..24 h. 0: never.

  max @1 :UInt32 = 100;
  # The most dead letters to move each time: 1..4096.

  categories @2 :List(Text);
  # The categories to redrive; empty: all. At most 64.

  backoffMicros @3 :Int64 = 60000000;
  # A dead letter is due min(backoff * 2^replays, backoffMax) after its death. 0..30 days.

  backoffMaxMicros @4 :Int64 = 3600000000;
  # 0..30 days.

  maxReplays @5 :UInt32 = 3;
  # `maxReplays` says how often a dead letter is redriven, at least 1. After that it is parked, or stays if the queue
  # has no parking queue.

  giveUpAfterMicros @6 :Int64;
  # `giveUpAfterMicros` says how long dead letters are redriven, from the message's first failure on. 0: without end.

  onGiveUp @7 :OnGiveUp;
}

struct FloodBrake {
  # Keeps an outage from emptying a queue into its dead letter queue. While the brake is on, deliveries that fail are
  # not charged, and their messages wait. The brake goes off by itself a minute after the last death.

  deathsPerMinute @0 :UInt32;
  # The brake goes on when more messages die in a minute. 0: never.

  delayMicros @1 :Int64 = 30000000;
  # `delayMicros` says how long a message waits whose delivery fails while the brake is on. 0..1 h.
}

enum AlertSeverity {
  usual @0;
  # critical for depthCritical, warning for the other rules.

  warning @1;
  critical @2;
}

struct AlertTerms {
  # AlertTerms says how a rule whose threshold is a count fires and clears.

  severity @0 :AlertSeverity;

  fireAfterMicros @1 :Int64;
  # The rule fires once what it measures has been above the threshold for this long. 0..24 h.

  clearAt :union {
    threshold @2 :Void;
    count @3 :UInt64;
  }
  # The rule clears once what it measures has been at most this for clearAfterMicros. At most the threshold.

  clearAfterMicros @4 :Int64 = 60000000;
  # 0..24 h.
}

struct AgeAlertTerms {
  # AgeAlertTerms says how a rule whose threshold is an age fires and clears. AlertTerms describes the fields.

  severity @0 :AlertSeverity;
  fireAfterMicros @1 :Int64;

  clearAt :union {
    threshold @2 :Void;
    ageMicros @3 :Int64;
  }

  clearAfterMicros @4 :Int64 = 60000000;
}

struct AlertRules {
  # AlertRules says when a dead letter queue calls for people. A rule fires when what it measures exceeds its threshold.

  depth :union {
    # Measures the number of dead letters in the queue; so do depthHigh and depthCritical.
    above @0 :UInt64 = 0;
    off @1 :Void;
  }
  depthHigh :union {
    above @2 :UInt64 = 100;
    off @3 :Void;
  }
  depthCritical :union {
    above @4 :UInt64 = 1000;
    off @5 :Void;
  }
  arrivals :union {
    # Measures the dead letters that come in a minute, in each minute of the last arrivalsForMicros.
    above @6 :UInt32 = 10;
    off @7 :Void;
  }
  arrivalsForMicros @8 :Int64 = 300000000;
  # Whole minutes: 1 min..1 h.

  oldest :union {
    # Measures the time since the oldest dead letter died.
    aboveMicros @9 :Int64 = 86400000000;
    off @10 :Void;
  }
  unassigned :union {
    # Measures the time since the oldest dead letter without an assignee died.
    aboveMicros @11 :Int64 = 172800000000;
    off @12 :Void;
  }

  depthTerms @13 :AlertTerms;
  depthHighTerms @14 :AlertTerms;
  depthCriticalTerms @15 :AlertTerms;
  arrivalsTerms @16 :AlertTerms;
  oldestTerms @17 :AgeAlertTerms;
  unassignedTerms @18 :AgeAlertTerms;
}

struct Alert {
  # An alert rule that has fired and not cleared.

  rule @0 :Text;
  # The name of the rule: "depth", "depth_high", "depth_critical", "arrivals", "oldest" or "unassigned".

  critical @1 :Bool;
  # False: a warning.

  sinceMicros @2 :Int64 $Json.time;

  value @3 :UInt64;
  # `value` says what the rule measured last: dead letters, arrivals a minute, or seconds.

  threshold @4 :UInt64;
  # The threshold of the rule, in the same unit.

  deadLetter :union {
    none @5 :Void;
    seq @6 :UInt64 $Json.place;
    # For "oldest" and "unassigned": the place, in its dead letter queue, of the dead letter that is too old.
  }

  clearsAt :union {
    # `clearsAt` says when the alert clears if the value stays as low as it is. None while the value is too high.
    none @7 :Void;
    micros @8 :Int64 $Json.time;
  }
}
