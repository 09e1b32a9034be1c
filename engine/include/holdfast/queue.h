// Queues: what is known about them. This header includes their options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/policy.h"
#include "holdfast/queue_options.h"
#include "holdfast/time.h"

namespace holdfast {

// QueueCounts says how many messages a queue has now, each in exactly one of ready, waiting and leased.
struct QueueCounts {
  std::uint64_t ready = 0;  // may be handed out now, or wait for their group
  // wait for the end of a delay or of the wait before a retry, or are exhausted and about to leave the queue
  std::uint64_t waiting = 0;
  std::uint64_t leased = 0;  // are handed out, not settled, and their lease has not run out
  std::uint64_t dead = 0;    // how many of all these are dead letters: they have a failure record

  friend bool operator==(const QueueCounts&, const QueueCounts&) = default;
};

// QueueTotals counts what has happened on a queue since it was created. Restarts do not reset these counters.
struct QueueTotals {
  std::uint64_t sent = 0;           // messages that were sent; dead-lettering and redrive do not count
  std::uint64_t delivered = 0;      // deliveries, charged or not
  std::uint64_t acked = 0;          // messages that were acknowledged
  std::uint64_t dead_lettered = 0;  // messages moved from here to a dead letter queue
  std::uint64_t discarded = 0;      // rejected messages that were not kept, and discarded dead letters
  std::uint64_t redriven = 0;       // dead letters moved from here back to a queue
  std::uint64_t parked = 0;         // dead letters moved from here to a parking queue
  std::uint64_t expired = 0;        // messages whose time to live ran out: deleted, or dead-lettered too
  std::uint64_t overflowed = 0;     // messages that made room in a full queue: deleted, or dead-lettered too

  friend bool operator==(const QueueTotals&, const QueueTotals&) = default;
};

// A Pause says what is stopped on a queue.
struct Pause {
  bool deliveries = false;  // receives find nothing
  bool sends = false;       // sends are refused with kQueuePaused

  friend bool operator==(const Pause&, const Pause&) = default;
};

struct QueueInfo {
  std::string name;
  QueueId id{};
  Timestamp created_at{};
  QueueOptions options;
  QueueCounts counts;
  std::uint64_t bytes = 0;  // the bytes of the bodies and attributes of all its messages
  QueueTotals totals;
  std::vector<Alert> alerts = {};  // the alert rules that hold now
  Timestamp braked_until = {};     // until when the flood brake is on; the epoch: it is off
  Pause paused = {};
};

// MissingQueues says what create_queue and alter_queue do if the options name a dead letter queue or a
// parking queue that does not exist.
enum class MissingQueues : std::uint8_t {
  kRefuse = 0,  // kQueueNotFound, so that a misspelt name is noticed
  kCreate = 1,  // create it, with default options
};

// QueueDeclared is the answer to create_queue and alter_queue.
struct QueueDeclared {
  bool created = false;               // false: the queue existed already
  std::vector<std::string> warnings;  // options that work but are known traps, one sentence each
};

}  // namespace holdfast
