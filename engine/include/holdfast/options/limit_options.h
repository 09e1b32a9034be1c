// The options for how much a queue takes and hands out.
#pragma once

#include <cstdint>

#include "holdfast/detail/option_field.h"

namespace holdfast {

// OverflowPolicy says what a send to a full queue does.
enum class OverflowPolicy : std::uint8_t {
  // The send is refused with kQueueFull.
  kRejectSend = 0,
  // The send succeeds. The messages that would be handed out next make room: they go to the dead letter
  // queue, with the cause kOverflow.
  kDeadLetterHead = 1,
  // The send succeeds. The messages that would be handed out next make room: they are deleted.
  kDropHead = 2,
};

// These options say how much a queue takes and hands out.
template <template <class> class Field>
struct LimitOptionFields {
  // The queue may have at most this many messages, counting ready, waiting and leased ones. 0: any number. It
  // holds for sends only; on_overflow says what a send to a full queue does. Where messages make room, ready
  // ones of the lowest priority go first, and leased and waiting ones stay; in an ordered queue the oldest
  // goes, also if it waits for its group. A send is refused if removing all ready messages would not make
  // enough room. Messages that are too many when this option is set, or after a crash, are removed by the
  // next send.
  Field<std::uint64_t> max_length = {};
  // The messages of the queue may have at most this many bytes, in their bodies and in the names and values
  // of their attributes; QueueInfo::bytes tells how many they have. 0: any number. A single message that is
  // larger is refused with kLimitExceeded. Messages make room as max_length describes.
  Field<std::uint64_t> max_bytes = {};
  // `on_overflow` says what a send to a full queue does. kDeadLetterHead needs a dead letter queue.
  Field<OverflowPolicy> on_overflow = detail::initially<Field>(OverflowPolicy::kRejectSend);

  // A body that is sent has at most this many bytes: 1..limits::kBodyBytesMax; limits::kBodyBytes by default.
  // A larger one is refused with kLimitExceeded. It holds for sends only. A change is for later sends.
  Field<std::uint32_t> max_body_bytes = detail::initially<Field>(std::uint32_t{1 << 20});

  // At most this many messages may be leased at a time: a receive hands out no more. 0: any number. A change
  // leaves the leases that consumers hold.
  Field<std::uint64_t> max_leased = {};

  friend bool operator==(const LimitOptionFields&, const LimitOptionFields&) = default;
};

}  // namespace holdfast
