@0xe4b1c60d2f7a9385;

# Running a server: backups, checks, statistics, and draining it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Http = import "http.capnp";
using Json = import "json.capnp";
using Error = import "error.capnp".Error;
using ArrivalTotals = import "dead_letter.capnp".ArrivalTotals;
using Queue = import "queue.capnp";

interface OperationCalls {
  # The calls of who runs a server.

  backup @0 BackupRequest -> BackupReply
      $Http.route(post = "/v1/backups", summary = "Makes a backup on the server", success = 201);
  # Adds a backup of everything to a directory of the server. All other calls go on meanwhile. Errors: invalidArgument,
  # permissionDenied if the server was not told where to keep backups.

  statistics @1 StatisticsRequest -> StatisticsReply
      $Http.route(get = "/v1/statistics", summary = "Numbers about the server and its store");
  # Returns the numbers of the server's engine.

  queueStatistics @2 Queue.QueueRequest -> QueueStatisticsReply
      $Http.route(get = "/v1/queues/{name}/statistics", summary = "Rates, ages and latencies of a queue");
  # Returns the numbers of a queue. Errors: queueNotFound.

  compact @3 Queue.QueueRequest -> Queue.EmptyReply
      $Http.route(post = "/v1/queues/{name}/compact", summary = "Rewrites a queue's rows on disk without what is gone",
          success = 204);
  # Rewrites what is on disk without what was removed: the rows of one queue, or everything if the name is empty. It
  # slows other calls down, and may take long. Errors: queueNotFound.

  verify @4 VerifyRequest -> VerifyReply
      $Http.route(post = "/v1/verify", summary = "Reads everything and reports what is not as it has to be");
  # Reads everything once and reports what is wrong. Changes nothing.

  drain @5 DrainRequest -> DrainReply
      $Http.route(post = "/v1/drain", summary = "Hands nothing out and takes no sends any more", success = 202);
  # Begins to take the server out of service, and answers at once. From now on the server accepts no connections, and
  # answers sendBatch, receive and subscribe with closed. Receives that wait end with an empty list. Subscriptions end,
  # and deliveries that they pushed and nobody started go back uncharged. All other calls go on, so that clients can
  # settle deliveries in flight. The drain is over when there are none any more, or when the time is up. A second drain
  # replaces the options of the first. Errors: invalidArgument, closed (the server is ending).

  drainStatus @6 DrainStatusRequest -> DrainReply
      $Http.route(get = "/v1/drain", summary = "How far a drain is");
  # Tells how far the drain is. The connection of a client that asks stays open until the server has ended and has told
  # it so. Errors: invalidArgument, overloaded; those of the engine if closing it failed.

  resume @7 ResumeRequest -> DrainReply
      $Http.route(delete = "/v1/drain", summary = "Ends a drain");
  # Ends a drain: the server works normally again. Errors: closed (the server is ending).
}

# --- backup ---

struct BackupRequest {
  directory @0 :Text;
  # A name below the directory that the server keeps backups in. Its parts are divided by '/', and none is "..". Empty:
  # that directory itself.

  keep @1 :UInt32;
  # `keep` says how many of the newest backups to keep there, this one included; older ones are deleted. 0: all.

  verify @2 :Bool;
  # True: read the files of the backup back and compare their checksums.
}

struct BackupReply {
  union {
    error @0 :Error;
    ok :group {
      number @1 :UInt32;
      # Names the backup in a restore.

      takenAtMicros @2 :Int64 $Json.time;
      bytes @3 :UInt64;
      # The size of its files, including those that it shares with other backups.

      files @4 :UInt32;
    }
  }
}

# --- verify ---

struct VerifyRequest {}

struct Finding {
  # One thing that is wrong with what is stored.

  kind @0 :Text;
  # A stable word for programs.

  where @1 :Text;
  what @2 :Text;
  # `what` says what is wrong, for a person.
}

struct VerifyReply {
  union {
    error @0 :Error;
    ok :group {
      findings @1 :List(Finding);
      # The first 1000 findings.

      found @2 :UInt64;
      # The number of all findings. 0: nothing is wrong.

      queues @3 :UInt64;
      # Queues that were looked at.

      chunks @4 :UInt64;
      # Chunks that were looked at.

      messages @5 :UInt64;
      # Messages that were looked at.
    }
  }
}

# --- statistics ---

struct Histogram {
  buckets @0 :List(UInt64);
  # Bucket 0 counts zeros, and bucket i > 0 counts values of 2^(i-1)..2^i - 1; the last bucket counts all larger values
  # too.

  count @1 :UInt64;
  sum @2 :UInt64;
}

struct Rate {
  # A rate per second: averages that forget exponentially.

  oneMinute @0 :Float64;
  fiveMinutes @1 :Float64;
}

struct Store {
  # Store has what RocksDB reports about itself, summed over the column families. The first seven are bytes.

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
      # `groupCalls` says how many calls shared a commit.

      groupBytes @4 :Histogram;
      # The bytes of a commit.

      bufferedCommit @5 :Histogram;
      # `bufferedCommit` says how many microseconds a commit without fsync took.

      fsyncCommit @6 :Histogram;
      # `fsyncCommit` says how many microseconds a commit with fsync took.

      freeBytes :union {
        unknown @7 :Void;
        bytes @8 :UInt64;
      }
      reserveBytes @9 :UInt64;
      # Sends are refused while less than this is free.

      store @10 :Store;

      clockSteps @11 :UInt64;
      # `clockSteps` says how often the server's wall clock was set, by a second or more.

      clockOffsetMicros @12 :Int64;
      # `clockOffsetMicros` says how far the wall clock is ahead of the server's time, which follows it.

      archiveFailure @13 :Text;
      # `archiveFailure` says why retention cannot archive what it would delete. Empty: it can.

      archiveFailingSinceMicros @14 :Int64 $Json.time;
      # Since when retention cannot archive. 0: it can.
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
        # `oldestReady` says when the message that would be handed out next was first sent.
        none @5 :Void;
        micros @6 :Int64 $Json.time;
      }
      oldestLeased :union {
        # `oldestLeased` says when the foremost leased message was first sent.
        none @7 :Void;
        micros @8 :Int64 $Json.time;
      }
      nextDue :union {
        # `nextDue` says when the first lease or delay ends.
        none @9 :Void;
        micros @10 :Int64 $Json.time;
      }
      diskBytes @11 :UInt64;
      # The space that the queue takes on disk: an estimate, which includes what was removed and is not compacted yet.

      deliveryLatency @12 :Histogram;
      # The time from send to delivery, in microseconds.

      oldestDied :union {
        # `oldestDied` says when the oldest dead letter in the queue died.
        none @13 :Void;
        micros @14 :Int64 $Json.time;
      }
      arrivals @15 :ArrivalTotals;
    }
  }
}

# --- drain ---

struct DrainRequest {
  timeoutMicros @0 :Int64 $Json.required;
  # `timeoutMicros` says how long deliveries in flight may still be settled. 0..10 years.

  exit @1 :Bool;
  # True: the server ends when the drain is over. False: it stays drained until `resume`.
}

struct DrainStatusRequest {
  waitMicros @0 :Int64;
  # The server answers when the number of deliveries in flight has changed, when the drain is over, or after this long.
  # A client that was already told that the drain is over and that the server exits is answered when the server has
  # ended. 0..1 hour.
}

struct ResumeRequest {}

struct DrainReply {
  union {
    error @0 :Error;
    ok :group {
      draining @1 :Bool;
      # False: the server works normally, and of the other fields only inFlight has a meaning.

      exits @2 :Bool;
      # `exits` says whether the server ends when the drain is over.

      over @3 :Bool;
      # No delivery is in flight any more, or the time is up.

      inFlight @4 :UInt64;
      # Deliveries that clients got over connections that they still have, that nobody has settled and whose leases have
      # not run out.

      leftMicros @5 :Int64;
      # `leftMicros` says what is left of the timeout.

      ended @6 :Bool;
      # True: the server has ended, and hangs up after this answer. Its data directory, its addresses and its pid file
      # are free, so another server may start.
    }
  }
}
