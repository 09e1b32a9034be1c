// The index says which message groups of a queue have something to hand out. It knows, by group, the messages
// of the window that are neither fresh nor done, and is told of every change of their state.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/chunk_state.h"
#include "holdfast/queue.h"

namespace holdfast {

GroupKey group_key(std::string_view name);

class GroupIndex {
 public:
  explicit GroupIndex(Grouping grouping) : ordered_(grouping == Grouping::kOrdered) {}

  Grouping grouping() const { return ordered_ ? Grouping::kOrdered : Grouping::kFair; }

  // Notes a change of a message's state. A message in kFresh or kDone is not in the index.
  void change(GroupKey key, Seq seq, EntryState from, EntryState to);

  // Returns what to hand out next: at most `max` messages, all of one group, or none if no group is free. The
  // caller leases all of them, in this order.
  //  - Ordered: the first messages of the free group with the oldest head, up to the first one that waits. A
  //    group is free if none of its messages is leased or exhausted, and its first one is ready.
  //  - Fair: one message, of the group whose turn it is.
  std::vector<Seq> next(std::size_t max) const;

  // Returns how many messages next() would give in all if each were leased and settled one after another. A
  // message behind one that waits counts too.
  std::size_t deliverable() const { return deliverable_; }
  // Returns how many messages are ready, including those of groups that are not free.
  std::size_t ready() const { return ready_; }

 private:
  struct Group {
    std::map<Seq, bool> messages;  // ordered: all, true if ready; fair: the ready ones
    std::size_t ready = 0;
    std::size_t held = 0;    // ordered: messages that are leased or exhausted
    std::size_t listed = 0;  // its share of deliverable_; 0 if it is not in free_
    std::uint64_t rank = 0;  // its key in free_
    bool served = true;      // fair: goes to the end of the line when it is listed again
  };

  void unlist(Group& group);
  void list(GroupKey key, Group& group);

  const bool ordered_;
  std::unordered_map<GroupKey, Group> groups_;
  // `free_` has the free groups. Ordered queues sort them by the seq of their head, fair ones by turn.
  std::map<std::uint64_t, GroupKey> free_;
  std::uint64_t last_turn_ = 0;
  std::size_t deliverable_ = 0;
  std::size_t ready_ = 0;
};

}  // namespace holdfast
