// Queues: their options, what changes them, and what is known about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/time.h"

namespace holdfast {

struct QueueOptions {
  // After this many charged deliveries without an ack the message is dead-lettered (cause
  // max_deliveries), in the write that ends its last delivery. 1..1000. Without a dead letter queue
  // the message is retried for ever. 1 condemns a message for one blip and 100 or more hammers a
  // poison message; declaring that with a dead letter queue gives a warning.
  std::uint32_t max_deliveries = 5;

  // Where dead letters go; empty: nowhere. A name that does not exist yet is created as a queue with
  // default options. A cycle is refused.
  std::string dead_letter_queue = {};

  // How long a delivery is leased when receive does not say. 1 ms..12 h.
  Duration lease = std::chrono::seconds(30);

  // Of send, ack and reject calls that do not say.
  Durability durability = Durability::kFsync;

  // What reject does on a queue without a dead letter queue: false refuses it
  // (kNoDeadLetterQueue), true discards the message for good.
  bool discard_rejected = false;

  // How long a message waits before it may first be handed out, when its send does not say. Of sends only,
  // not of dead-lettering or redrive. 0..limits::kDelayMax.
  Duration delay{0};

  friend bool operator==(const QueueOptions&, const QueueOptions&) = default;
};

// The options to change; what is not set stays.
struct QueueChanges {
  std::optional<std::uint32_t> max_deliveries = {};
  std::optional<std::string> dead_letter_queue = {};  // "" removes it
  std::optional<Duration> lease = {};
  std::optional<Durability> durability = {};
  std::optional<bool> discard_rejected = {};
  std::optional<Duration> delay = {};  // of later sends
};

// Every message of a queue is in exactly one of ready, waiting and leased.
struct QueueCounts {
  std::uint64_t ready = 0;    // may be handed out now
  std::uint64_t waiting = 0;  // sent or released with a delay that is not over
  std::uint64_t leased = 0;   // handed out, neither settled nor run out
  std::uint64_t dead = 0;     // how many of all these are dead letters: they have a failure record

  friend bool operator==(const QueueCounts&, const QueueCounts&) = default;
};

// Since the queue was created; survive restarts.
struct QueueTotals {
  std::uint64_t sent = 0;       // by send, not by dead-lettering or redrive
  std::uint64_t delivered = 0;  // hand-outs, charged or not
  std::uint64_t acked = 0;
  std::uint64_t dead_lettered = 0;  // moved from here to the dead letter queue
  std::uint64_t discarded = 0;      // rejected on a queue that discards
  std::uint64_t redriven = 0;       // moved from here, a dead letter queue, back to a source

  friend bool operator==(const QueueTotals&, const QueueTotals&) = default;
};

struct QueueInfo {
  std::string name;
  QueueId id{};
  Timestamp created_at{};
  QueueOptions options;
  QueueCounts counts;
  QueueTotals totals;
};

// The reply to create_queue and alter_queue.
struct QueueDeclared {
  bool created = false;               // false: it existed with the same options
  std::vector<std::string> warnings;  // options that work but are known traps, one sentence each
};

}  // namespace holdfast
