// The options for the end of the time that a message may be handed out.
#pragma once

#include <cstdint>

#include "holdfast/detail/duration.h"
#include "holdfast/detail/option_field.h"

namespace holdfast {

// ExpiryPolicy says what happens to a message when its time to live runs out.
enum class ExpiryPolicy : std::uint8_t {
  kDeadLetter = 0,  // it goes to the dead letter queue, with the cause kExpired
  kDrop = 1,        // it is deleted
};

// These options say for how long messages may be handed out.
template <template <class> class Field>
struct ExpiryOptionFields {
  // A message may be handed out for this long, counted from its send or the end of its delay. 0: for ever; at
  // most limits::kDelayMax. The end is fixed at the send, so a change is for later sends. After the end the
  // message is never handed out. A message that is leased at the end may still be acknowledged, and expires
  // when it is given back. A redriven message gets the whole time to live of its queue again; dead letters
  // have none.
  Field<Duration> time_to_live = {};

  // `policy` says what happens at the end of the time to live. kDeadLetter needs a dead letter queue: without
  // one, a time to live of the queue or of a message is refused. If the dead letter queue is removed later,
  // messages that expire are deleted.
  Field<ExpiryPolicy> policy = detail::initially<Field>(ExpiryPolicy::kDeadLetter);

  friend bool operator==(const ExpiryOptionFields&, const ExpiryOptionFields&) = default;
};

}  // namespace holdfast
