// This header declares the options for the priorities of messages.
#pragma once

#include <cstdint>

#include "holdfast/detail/duration.h"
#include "holdfast/detail/option_field.h"

namespace holdfast {

// These options say which messages go before others.
template <template <class> class Field>
struct PriorityOptionFields {
  // The queue has this many levels of priority: 1..16; with 1 there are no priorities. Messages of the
  // highest level go first; within a level the oldest goes first. More than 1 excludes grouping, since going
  // first contradicts order and turns. A dead letter queue hands out dead letters without regard to their
  // priority. The number may be changed at any time: after it is lowered, the messages of the other levels
  // are still handed out. A message redriven to a queue with fewer levels gets the highest one there.
  Field<std::uint32_t> levels = detail::initially<Field>(std::uint32_t{1});

  // Keeps low priorities from starving: a message goes before messages k levels higher that were sent more
  // than k times this later. 0: strict, a higher level always goes first. At most limits::kPriorityAgingMax.
  Field<Duration> aging = {};

  friend bool operator==(const PriorityOptionFields&, const PriorityOptionFields&) = default;
};

}  // namespace holdfast
