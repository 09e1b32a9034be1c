// The options for dead letters: where they go, and what a dead letter queue does with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/detail/option_field.h"
#include "holdfast/options/auto_redrive.h"

namespace holdfast {

// A route names a dead letter queue for messages whose last failure has its category, whatever they die of.
struct DeadLetterRoute {
  std::string category = {};
  // It must exist, as QueueOptions::dead_letters.queue must, unless the call has missing queues created
  // (MissingQueues).
  std::string queue = {};

  friend bool operator==(const DeadLetterRoute&, const DeadLetterRoute&) = default;
};

// DeadLetterSources says which queues may use a queue as their dead letter queue.
struct DeadLetterSources {
  enum class Allow : std::uint8_t { kAll = 1, kNone = 2, kListed = 3 };
  Allow allow = Allow::kAll;
  // For kListed, `queues` has the names of the queues; at most limits::kDeadLetterSources.
  std::vector<std::string> queues = {};

  friend bool operator==(const DeadLetterSources&, const DeadLetterSources&) = default;
};

// These options say where messages go that die, and what a dead letter queue does with them.
template <template <class> class Field>
struct DeadLetterOptionFields {
  // `queue` names the dead letter queue. Empty: the queue has none. It must exist, unless the call has
  // missing queues created (MissingQueues). A cycle of dead letter queues is refused (kDeadLetterCycle).
  Field<std::string> queue = {};

  // Routes name the dead letter queues for messages whose last failure has certain categories; `queue` takes
  // all others. Each category is there once, none empty; at most limits::kDeadLetterRoutes. Each queue must
  // exist, as `queue` must. A cycle over any of the routes is refused.
  Field<std::vector<DeadLetterRoute>> routes = {};

  // `discard_rejected` says what a reject does when the queue has no dead letter queue. False: the reject is
  // refused (kNoDeadLetterQueue). True: the message is deleted for good.
  Field<bool> discard_rejected = detail::initially<Field>(false);

  // `sources` says which queues may dead-letter to this one. Declaring another queue to do so is refused
  // (kPermissionDenied) unless it is allowed here. A change that would exclude a queue that does so already
  // is refused (kQueueInUse).
  Field<DeadLetterSources> sources = {};

  // Direct sends are to a queue that others dead-letter to or park in. True: the queue takes sends, and each
  // message is a dead letter at once (cause kSent). False: such sends are refused (kQueueInUse), since nobody
  // who looks at dead letters would see a message that has no failure record. A change is for later sends.
  Field<bool> direct_sends = detail::initially<Field>(false);

  // A dead letter queue may have a parking queue, where dead letters are set aside for people by a park, by a
  // condition of a redrive (RedriveOptions::park_refused) or by auto_redrive. Empty: the queue has none. It
  // must exist, as a dead letter queue must. Nothing moves out of a parking queue by itself.
  Field<std::string> parking_queue = {};

  // A dead letter queue finds its dead letters at once by the values of these attributes. At most
  // limits::kSearchedAttributes, each once. Their values are kept with each dead letter that comes from then
  // on, in the write that brings it. Dead letters that came before are found by them too, but are read one by
  // one.
  Field<std::vector<std::string>> searched_attributes = {};

  // `auto_redrive` says how a dead letter queue redrives its dead letters by itself. It is refused
  // (kInvalidArgument) on a queue that others park in.
  Field<AutoRedrive> auto_redrive = {};

  friend bool operator==(const DeadLetterOptionFields&, const DeadLetterOptionFields&) = default;
};

}  // namespace holdfast
