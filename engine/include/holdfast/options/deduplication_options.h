// The options for messages that are sent again.
#pragma once

#include <chrono>
#include <cstdint>

#include "holdfast/detail/duration.h"
#include "holdfast/detail/option_field.h"

namespace holdfast {

// Deduplication says by what a queue recognizes a message that is sent again.
enum class Deduplication : std::uint8_t {
  kNone = 0,  // by nothing: each send adds a message
  // A message is recognized by Message::deduplication_id. Messages without one are always new.
  kById = 1,
  // A message is recognized by Message::deduplication_id, or by its body if it has none. Attributes and group
  // do not count, since those of a retry often differ: a trace id, for example. Source: Amazon SQS,
  // "ContentBasedDeduplication".
  kByContent = 2,
};

// These options say what becomes of a message that was sent before.
template <template <class> class Field>
struct DeduplicationOptionFields {
  // A message that was sent to this queue before, less than the window ago, is not added again: the send
  // succeeds with the id of the first message and Sent::duplicate, whatever has happened to the first one
  // since. Dead-lettering and redrive do not count as sends. What the queue knows is written together with
  // the message, so it survives a crash.
  Field<Deduplication> mode = detail::initially<Field>(Deduplication::kNone);

  // The window is limits::kDeduplicationWindowMin..kDeduplicationWindowMax. The default is that of Amazon
  // SQS. A change counts from the next send on; a longer window does not bring back what is forgotten.
  Field<Duration> window = detail::initially<Field, Duration>(std::chrono::minutes(5));

  friend bool operator==(const DeduplicationOptionFields&, const DeduplicationOptionFields&) = default;
};

}  // namespace holdfast
