// This header declares the options for the retries of a message that failed.
#pragma once

#include <cstdint>
#include <vector>

#include "holdfast/detail/duration.h"
#include "holdfast/detail/option_field.h"

namespace holdfast {

enum class RetryKind : std::uint8_t {
  kImmediate = 0,    // no wait
  kFixed = 1,        // the same wait after each failure
  kExponential = 2,  // a wait that doubles with each failure
  kStages = 3,       // a list of waits
};

// ReturnTo says where a message goes when it is given back.
enum class ReturnTo : std::uint8_t {
  // The message goes to its old place, before all messages that were never handed out.
  kHead = 0,
  // The message goes behind all messages that are in the queue (of its priority, or of its group) when its
  // wait is over. The move is one atomic write; deliveries and failures keep counting, and earlier receipts
  // settle nothing. Ordered queues refuse kTail, since the order of a group holds. Dead letters keep their
  // place, so that they stay listed.
  kTail = 1,
};

// A RetryPolicy says how long a message waits after a failed delivery, that is, after its lease ran out, or
// after it was released with charge and without a delay of its own. A field that `kind` does not use must
// have its default.
struct RetryPolicy {
  RetryKind kind = RetryKind::kImmediate;
  // `base` is each wait for kFixed, and the wait after the first failure for kExponential. More than 0, at
  // most limits::kDelayMax.
  Duration base{0};
  Duration cap{0};  // for kExponential: the longest wait; base..limits::kDelayMax
  // A wait is shortened by at most this share, 0..1, so that messages that failed together are not
  // retried together. Message and delivery determine the share, so repeating the same wait gives the same
  // share.
  double jitter = 0;
  // For kStages, `stages` has the waits after the first, the second and each further failure; the last one
  // repeats. 1..limits::kRetryStages waits of 0..limits::kDelayMax each.
  std::vector<Duration> stages = {};
  // `to` says where the message goes for its retry. An ordered queue refuses kTail; dead letters keep their
  // place whatever this says.
  ReturnTo to = ReturnTo::kHead;

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// These options say how often, how long and when a message that failed is delivered again.
template <template <class> class Field>
struct RetryOptionFields {
  // After this many charged deliveries, a message that nobody acknowledged is dead-lettered (cause
  // kMaxDeliveries), in the write that ends its last delivery: 1..1000. Without a dead letter queue the
  // message is retried for ever. With 1 a single hiccup condemns a message, and with 100 or more a message
  // that always fails keeps its consumers busy; declaring either together with a dead letter queue gives a
  // warning. A change counts from the next failure on.
  Field<std::uint32_t> max_deliveries = detail::initially<Field>(std::uint32_t{5});

  // The policy says how long a message waits after a failed delivery. A change is for later failures.
  Field<RetryPolicy> policy = {};

  // The retry budget: a delivery that fails later than this after the first failure of the message is its
  // last, and the message is dead-lettered (cause kRetryBudget) whatever its count of deliveries. A redrive
  // begins a new budget. 0: there is no budget; at most limits::kDelayMax. Without a dead letter queue the
  // message is retried for ever. A change is for later failures.
  Field<Duration> budget = {};

  friend bool operator==(const RetryOptionFields&, const RetryOptionFields&) = default;
};

}  // namespace holdfast
