// These types say what a receive asks for and gets, and what can be said of a delivery and of its message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/core/chunk_span.h"
#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/peek.h"
#include "holdfast/time.h"

namespace holdfast {

// A Grant is one message that was handed out.
struct Grant {
  Seq chunk{};
  std::uint32_t index = 0;       // within the chunk
  std::uint32_t deliveries = 0;  // charged deliveries, this one included
};

struct LeaseTerms {
  LeaseId id{};
  Timestamp until{};
  std::shared_ptr<const Consumer> consumer;
  bool prefetch = false;  // a prefetched delivery is not charged before start()
  Duration length{};    // from now to `until`; start() makes the lease of a prefetched delivery as long again
  bool nobody = false;  // set by LaneState::drop_heads(): the entry keeps the name of its last consumer
};

// A ByteBudget bounds the bodies and attributes of one receive. The first message always fits: if it is
// larger than the budget, it is handed out alone. The first later message that does not fit ends the receive.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t bytes = UINT64_MAX) : left_(bytes) {}

  // Takes a message of `bytes` bytes out of the budget. Returns false if it does not fit.
  [[nodiscard]] bool take(std::uint32_t bytes) {
    if (any_ && bytes > left_) spent_ = true;
    if (spent_) return false;
    any_ = true;
    spent_ = bytes > left_;
    left_ -= std::min<std::uint64_t>(left_, bytes);
    return true;
  }
  bool spent() const { return spent_; }

 private:
  std::uint64_t left_;
  bool any_ = false;
  bool spent_ = false;
};

// A check gives this verdict on a receipt, or on a message that is to be taken.
enum class ReceiptCheck : std::uint8_t {
  kValid,
  kStale,  // the message exists, but the delivery is over
  kGone,   // the message does not exist any more
};

// A LeaseEnd is a lease that ran out.
struct LeaseEnd {
  MessageRef place;
  Timestamp at{};
  std::uint32_t deliveries = 0;
};

// A MessageStatus has what can be seen of a message.
struct MessageStatus {
  MessageState state = MessageState::kReady;
  std::optional<Timestamp> due;
  std::uint32_t deliveries = 0;
};

}  // namespace holdfast
