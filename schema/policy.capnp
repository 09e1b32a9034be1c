@0xe27b3d90c5a1f486;

# What queues do by themselves about their dead letters.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";

enum AfterLifetime {
  # What becomes of a dead letter that has failed for longer than maxLifetime.

  park @0;
  # It is parked, if the queue has a parking queue; else it stays.

  archive @1;
  # It is archived and goes, record and all.
}

struct AutoRedrive {
  # How a dead letter queue brings back its dead letters. One that was brought back too often is parked, if the queue has
  # a parking queue.

  everyMicros @0 :Int64;
  # Look this often, 1 s..24 h; 0: never.

  max @1 :UInt32 = 100;
  # Move at most this many each time; 1..4096.

  categories @2 :List(Text);
  # Only these; empty: all. At most 64.

  backoffMicros @3 :Int64 = 60000000;
  # A dead letter is due min(backoff * 2^replays, backoffMax) after its death.

  backoffMaxMicros @4 :Int64 = 3600000000;
  maxReplays @5 :UInt32 = 3;

  maxLifetimeMicros @6 :Int64;
  # Since its first failure; 0: no such bound.

  afterLifetime @7 :AfterLifetime;
}

struct FloodBrake {
  # When the messages of a queue die in large numbers, failed deliveries are not charged, and the message waits. Ends by
  # itself a minute after the last death.

  deathsPerMinute @0 :UInt32;
  # Brake when more die; 0: never.

  delayMicros @1 :Int64 = 30000000;
}

enum AlertSeverity {
  usual @0;
  # Critical for depthCritical, a warning for the others.

  warning @1;
  critical @2;
}

struct AlertTerms {
  # How a rule fires and clears whose threshold is a count.

  severity @0 :AlertSeverity;

  fireAfterMicros @1 :Int64;
  # It fires once what it measures has been above the threshold for so long. 0..24 h, as is clearAfterMicros.

  clearAt :union {
    threshold @2 :Void;
    count @3 :UInt64;
  }
  # It clears once what it measures has been at most this for clearAfterMicros; not more than the threshold.

  clearAfterMicros @4 :Int64 = 60000000;
}

struct AgeAlertTerms {
  # How a rule fires and clears whose threshold is an age; see AlertTerms.

  severity @0 :AlertSeverity;
  fireAfterMicros @1 :Int64;

  clearAt :union {
    threshold @2 :Void;
    ageMicros @3 :Int64;
  }

  clearAfterMicros @4 :Int64 = 60000000;
}

struct AlertRules {
  # A rule fires when what it measures is larger than its threshold.

  depth :union {
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
    above @6 :UInt32 = 10;
    off @7 :Void;
    # Dead letters a minute, in each of the last arrivalsFor.
  }
  arrivalsForMicros @8 :Int64 = 300000000;
  oldest :union {
    aboveMicros @9 :Int64 = 86400000000;
    off @10 :Void;
  }
  unassigned :union {
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
  # A rule that holds now.

  rule @0 :Text;
  critical @1 :Bool;
  # False: a warning.

  sinceMicros @2 :Int64 $Json.time;

  value @3 :UInt64;
  # What it measured last: dead letters, arrivals a minute, or seconds.

  threshold @4 :UInt64;
  # What that was larger than, in the same unit.

  deadLetter :union {
    none @5 :Void;
    seq @6 :UInt64;
    # Of oldest and unassigned: the place, in its queue, of the dead letter that is concerned.
  }

  clearsAt :union {
    # While it is no longer above its threshold: when it clears, if it stays so.
    none @7 :Void;
    micros @8 :Int64 $Json.time;
  }
}
