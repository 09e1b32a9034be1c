// What a receive asks for and gets, and what can be said of a delivery and of its message.
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

// One message handed out.
struct Grant {
  Seq chunk{};
  std::uint32_t index = 0;       // within the chunk
  std::uint32_t deliveries = 0;  // charged, this one included
};

struct LeaseTerms {
  LeaseId id{};
  Timestamp until{};
  std::shared_ptr<const Consumer> consumer;
  bool prefetch = false;  // true: not charged before start()
  Duration length{};    // from now to `until`; of a prefetched delivery also how long start() makes its lease
  bool nobody = false;  // who had it last stays so
};

// The bytes of bodies and attributes that one receive may hand out. Its first message is within them whatever
// its size, alone if it is larger; with the first one that is not, the receive is over.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t bytes = UINT64_MAX) : left_(bytes) {}

  // Whether one more message, of so many bytes, is within them.
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

// Whether a receipt still names a delivery.
enum class ReceiptCheck : std::uint8_t {
  kValid,
  kStale,  // the message is there, but that delivery is over
  kGone,   // the message is not there any more
};

// A lease that ran out.
struct LeaseEnd {
  MessageRef place;
  Timestamp at{};
  std::uint32_t deliveries = 0;
};

// What can be seen of a message.
struct MessageStatus {
  MessageState state = MessageState::kReady;
  std::optional<Timestamp> due;
  std::uint32_t deliveries = 0;
};

}  // namespace holdfast
