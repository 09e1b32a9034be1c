// A queue's bounds: what it refuses when it is full, and what it drops to make room. A queue has one
// QueueBounds, under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/core/queue_state.h"
#include "holdfast/error.h"
#include "holdfast/limits.h"
#include "holdfast/queue.h"

namespace holdfast {

class QueueBounds {
 public:
  using Limits = decltype(QueueOptions::limits);

  // All arguments belong to the queue, and outlive this object.
  QueueBounds(const std::string& name, const Limits& limits, QueueState& state)
      : name_(name), limits_(limits), state_(state) {}

  // A load is what the earlier entries of a transaction add to the queue, or take from it.
  struct Load {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    // This part of these could be dropped.
    std::int64_t ready_messages = 0;
    std::int64_t ready_bytes = 0;
  };
  // Checks whether the queue has room for one more message of `bytes` bytes, or can drop others for it.
  // kQueueFull.
  Result<void> check_room(std::size_t bytes, const Load& load) const;
  // Returns whether the queue has bounds that check_room() looks at.
  bool is_bounded() const { return limits_.max_length > 0 || limits_.max_bytes > 0; }
  // Returns how many more messages may be leased.
  std::uint64_t leases_left() const;

  // Returns by how much the queue exceeds its bounds. It is nothing unless the queue makes room by itself.
  struct Excess {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    bool any() const { return messages > 0 || bytes > 0; }
  };
  Excess excess() const;
  // One commit drops no more than this, in case a limit was set far below what is there.
  static constexpr std::uint64_t kDropMessages = limits::kBatchEntries;
  static constexpr std::uint64_t kDropBytes = 16U << 20U;
  // Makes the heads that are too many exhausted. Their number is bounded, and they are heads that are known
  // without a look at the store.
  QueueState::Dropped drop_heads(const Excess& excess);
  // Drops what is too much after a send. The caller calls it before after_change(), so that no waiting
  // receive is given messages for which there is no room. Returns true if RoomMaker::make_room() must do the
  // rest.
  bool drop_excess();

 private:
  const std::string& name_;
  const Limits& limits_;
  QueueState& state_;
};

}  // namespace holdfast
