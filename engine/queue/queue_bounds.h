// A queue's bounds: what it refuses when it is full, and what it drops to make room. A queue has one, under
// its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/core/lanes.h"
#include "holdfast/error.h"
#include "holdfast/limits.h"
#include "holdfast/queue.h"

namespace holdfast {

class QueueBounds {
 public:
  // All of these are the queue's.
  QueueBounds(const std::string& name, const QueueOptions& options, Lanes& state)
      : name_(name), options_(options), state_(state) {}

  // What entries of a transaction before this one add to the queue, or take away.
  struct Load {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t ready_messages = 0;  // of these, those that could be dropped
    std::int64_t ready_bytes = 0;
  };
  // Whether it has room for a message of so many bytes more, or can drop others for it. kQueueFull.
  Result<void> check_room(std::size_t bytes, const Load& load) const;
  // Whether it has bounds that check_room() looks at.
  bool is_bounded() const { return options_.max_length > 0 || options_.max_bytes > 0; }
  // How many messages more may be leased.
  std::uint64_t leases_left() const;

  // What there is too much, of a queue that makes room by itself.
  struct Excess {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    bool any() const { return messages > 0 || bytes > 0; }
  };
  Excess excess() const;
  // What one commit drops at most, should a limit have been lowered far below what is there.
  static constexpr std::uint64_t kDropMessages = limits::kBatchEntries;
  static constexpr std::uint64_t kDropBytes = 16U << 20U;
  // The heads that are too many begin to leave: a bounded number, of those that are known without reading.
  Lanes::Dropped drop_heads(const Excess& excess);
  // After a send. Before after_change(), so that no receive that waits is given what there is no room for.
  // True if RoomMaker::make_room() has to see to the rest.
  bool drop_excess();

 private:
  const std::string& name_;
  const QueueOptions& options_;
  Lanes& state_;
};

}  // namespace holdfast
