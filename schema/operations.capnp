@0xe4b1c60d2f7a9385;

# Running a server: numbers, backups, checks.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using ArrivalTotals = import "dead_letter.capnp".ArrivalTotals;

# --- backup ---

struct BackupRequest {
  directory @0 :Text;
  # A name below the directory that the server keeps backups in; parts are divided by '/', none is "..". Empty: that
  # directory itself.

  keep @1 :UInt32;
  # Keeps only this many newest backups there, this one included. 0: all.

  verify @2 :Bool;
  # Reads the backup's files back and compares checksums.
}

struct BackupReply {
  union {
    error @0 :Error;
    ok :group {
      number @1 :UInt32;
      # Names the backup to restore.

      takenAtMicros @2 :Int64 $Json.time;
      bytes @3 :UInt64;
      # Of all its files, those that it shares with other backups included.

      files @4 :UInt32;
    }
  }
}

# --- verify ---

struct VerifyRequest {}

struct Finding {
  kind @0 :Text;
  # A stable word.

  where @1 :Text;
  what @2 :Text;
  # For a person.
}

struct VerifyReply {
  union {
    error @0 :Error;
    ok :group {
      findings @1 :List(Finding);
      # The first 1000.

      found @2 :UInt64;
      # All. 0: everything is as it has to be.

      queues @3 :UInt64;
      # Looked at, as are chunks and messages.

      chunks @4 :UInt64;
      messages @5 :UInt64;
    }
  }
}

# --- statistics ---

struct Histogram {
  buckets @0 :List(UInt64);
  # The first counts zeros, the i-th (from 0) values of 2^(i-1)..2^i - 1, the last all larger ones too.

  count @1 :UInt64;
  sum @2 :UInt64;
}

struct Rate {
  # Per second, an average that forgets exponentially.

  oneMinute @0 :Float64;
  fiveMinutes @1 :Float64;
}

struct Store {
  # What RocksDB says of itself, summed over the column families. Bytes, but for the last four.

  table @0 :UInt64;
  liveData @1 :UInt64;
  log @2 :UInt64;
  memtable @3 :UInt64;
  blockCache @4 :UInt64;
  blockCacheCapacity @5 :UInt64;
  pendingCompaction @6 :UInt64;
  runningFlushes @7 :UInt64;
  runningCompactions @8 :UInt64;
  writesDelayed @9 :Bool;
  writesStopped @10 :Bool;
}

struct StatisticsRequest {}

struct StatisticsReply {
  union {
    error @0 :Error;
    ok :group {
      openedAtMicros @1 :Int64 $Json.time;
      queues @2 :UInt64;
      groupCalls @3 :Histogram;
      # Calls that shared a commit.

      groupBytes @4 :Histogram;
      bufferedCommit @5 :Histogram;
      # Microseconds that a commit took, as is the next.

      fsyncCommit @6 :Histogram;

      freeBytes :union {
        unknown @7 :Void;
        bytes @8 :UInt64;
      }
      reserveBytes @9 :UInt64;
      # Sends are refused when less is free.

      store @10 :Store;

      clockSteps @11 :UInt64;
      # How often the server's wall clock was set, by a second or more.

      clockOffsetMicros @12 :Int64;
      # How far the wall clock is ahead of the server's time, which follows it.

      archiveFailure @13 :Text;
      # Why what retention would delete cannot be archived; empty if it can.

      archiveFailingSinceMicros @14 :Int64 $Json.time;
      # 0 if it can.
    }
  }
}

struct QueueStatisticsReply {
  union {
    error @0 :Error;
    ok :group {
      sent @1 :Rate;
      delivered @2 :Rate;
      acked @3 :Rate;
      deadLettered @4 :Rate;

      oldestReady :union {
        # When the message that is handed out next was first sent.
        none @5 :Void;
        micros @6 :Int64 $Json.time;
      }
      oldestLeased :union {
        # When the foremost leased message was first sent.
        none @7 :Void;
        micros @8 :Int64 $Json.time;
      }
      nextDue :union {
        # When the first lease or delay ends.
        none @9 :Void;
        micros @10 :Int64 $Json.time;
      }
      diskBytes @11 :UInt64;
      # About, what was removed and not compacted yet included.

      deliveryLatency @12 :Histogram;
      # From send to hand-out, microseconds.

      oldestDied :union {
        # When the dead letter died that died first of those that are here.
        none @13 :Void;
        micros @14 :Int64 $Json.time;
      }
      arrivals @15 :ArrivalTotals;
    }
  }
}

# --- drain ---

struct DrainRequest {
  timeoutMicros @0 :Int64;
  # For how long deliveries in flight may still be settled. 0..10 years.

  exit @1 :Bool;
  # Whether the server ends then; else it stays drained until it is told to resume.
}

struct DrainStatusRequest {
  waitMicros @0 :Int64;
  # Answer when the number of deliveries in flight has changed, or it is over, or after so long. Who has been told that it
  # is over and that the server exits: when the server has ended. 0..1 hour.
}

struct ResumeRequest {}

struct DrainReply {
  union {
    error @0 :Error;
    ok :group {
      draining @1 :Bool;
      # False: the server works as ever.

      exits @2 :Bool;
      # Whether it ends when the drain is over.

      over @3 :Bool;
      inFlight @4 :UInt64;
      # Deliveries that clients got over the connections that they have now, and that are not over: settled by nobody, and
      # not run out.

      leftMicros @5 :Int64;
      # Of the timeout.

      ended @6 :Bool;
      # The server's last word, after which it hangs up: its data directory is free, and another server may open it. Its
      # addresses and its pid file are free too.
    }
  }
}
