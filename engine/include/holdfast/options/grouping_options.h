// This header declares the options for groups of messages.
#pragma once

#include <cstdint>

#include "holdfast/detail/option_field.h"

namespace holdfast {

// Grouping says what a queue does with the groups of its messages.
enum class Grouping : std::uint8_t {
  // Groups do not matter: messages are handed out oldest first.
  kNone = 0,

  // The messages of a group are handed out in the order of their sends, to one consumer at a time. A receive
  // may take several messages of a group that follow each other; after that the group is blocked until each
  // of them is settled or released, or its lease has run out. Groups do not block each other, as long as no
  // more than limits::kGroupLookahead ready messages lie between them. Among several free groups the one with
  // the oldest message goes first.
  //
  // The order outlives releases, retries and restarts: a message that waits for its retry blocks its group. A
  // message that is sent with a delay joins its group when the delay is over. A message that is dead-lettered
  // leaves its group, which goes on without it; a redrive puts it at the group's end. A consumer that
  // releases a message keeps the order only if it also releases, and does not acknowledge, the later messages
  // of that group that it holds.
  kOrdered = 1,

  // Groups take turns, so that a group with many messages does not keep the others waiting: each group that
  // has a message among the first limits::kGroupLookahead ready ones is served once before any is served
  // again. Within a group the oldest message goes first. Nothing is blocked.
  kFair = 2,
};

// These options say what the queue does with groups of messages.
template <template <class> class Field>
struct GroupingOptionFields {
  // `mode` says what the queue does with groups: see Grouping. A change counts from the next receive on;
  // grouping is refused (kInvalidArgument) while the queue has messages of higher levels of priority. To find
  // free groups the queue looks at the first limits::kGroupLookahead ready messages; groups that begin behind
  // those wait until those are handed out.
  Field<Grouping> mode = detail::initially<Field>(Grouping::kNone);

  // True: a send without a group is refused (kInvalidArgument). This is for queues whose order or turns
  // matter: all messages without a group form one group, so those of a sender that forgets the group would
  // wait for each other. It holds for sends only.
  Field<bool> require_group = detail::initially<Field>(false);

  friend bool operator==(const GroupingOptionFields&, const GroupingOptionFields&) = default;
};

}  // namespace holdfast
