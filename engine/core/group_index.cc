#include "engine/core/group_index.h"

#include <functional>

#include "engine/base/helpers/check.h"

namespace holdfast {
namespace {

bool is_held(EntryState state) { return state == EntryState::kLeased || state == EntryState::kExhausted; }
bool is_absent(EntryState state) { return state == EntryState::kFresh || state == EntryState::kDone; }

}  // namespace

GroupKey group_key(std::string_view name) { return GroupKey{std::hash<std::string_view>{}(name)}; }

void GroupIndex::change(GroupKey key, Seq seq, EntryState from, EntryState to) {
  const bool was_ready = from == EntryState::kReady;
  const bool ready = to == EntryState::kReady;
  if (!ordered_ && !was_ready && !ready) return;
  Group& group = groups_[key];
  unlist(group);
  HOLDFAST_CHECK(!was_ready || group.ready > 0, "a message that was ready is counted in its group");
  HOLDFAST_CHECK(!ordered_ || !is_held(from) || group.held > 0,
                 "a message that was held is counted in its group");
  if (was_ready) --group.ready;
  if (ready) ++group.ready;
  ready_ = ready_ - (was_ready ? 1 : 0) + (ready ? 1 : 0);
  if (ordered_ && is_held(from)) --group.held;
  if (ordered_ && is_held(to)) ++group.held;
  if (to == EntryState::kLeased) group.served = true;

  if (ordered_ ? !is_absent(to) : ready) {
    group.messages.insert_or_assign(seq, ready);
  } else {
    group.messages.erase(seq);
  }
  HOLDFAST_CHECK(
      ordered_ ? group.ready + group.held <= group.messages.size() : group.ready == group.messages.size(),
      "a group counts no message that it does not list");
  if (group.messages.empty()) {
    groups_.erase(key);
  } else {
    list(key, group);
  }
  HOLDFAST_CHECK(deliverable_ <= ready_, "only a ready message can be delivered");
}

void GroupIndex::unlist(Group& group) {
  if (group.listed == 0) return;
  const std::size_t unlisted = free_.erase(group.rank);
  HOLDFAST_CHECK(unlisted == 1 && deliverable_ >= group.listed,
                 "a group that has a share of what can be delivered is free");
  deliverable_ -= group.listed;
  group.listed = 0;
}

void GroupIndex::list(GroupKey key, Group& group) {
  const auto& [head, head_ready] = *group.messages.begin();
  if (ordered_) {
    if (group.held > 0 || !head_ready) return;
    group.rank = static_cast<std::uint64_t>(head);
  } else if (group.served) {
    group.rank = ++last_turn_;
    group.served = false;
  }
  const bool is_listed = free_.emplace(group.rank, key).second;
  HOLDFAST_CHECK(is_listed && group.ready > 0, "a free group has a ready message, and a rank of its own");
  group.listed = group.ready;
  deliverable_ += group.listed;
}

std::vector<Seq> GroupIndex::next(std::size_t max) const {
  std::vector<Seq> result;
  if (free_.empty()) return result;
  const auto group = groups_.find(free_.begin()->second);
  HOLDFAST_CHECK(group != groups_.end() && (!ordered_ || group->second.held == 0),
                 "a free group is known, and on an ordered queue nobody holds a message of it");
  const auto& messages = group->second.messages;
  const std::size_t most = ordered_ ? max : 1;
  for (auto it = messages.begin(); it != messages.end() && it->second && result.size() < most; ++it) {
    result.push_back(it->first);
  }
  HOLDFAST_CHECK(max == 0 || !result.empty(), "a free group gives a message");
  return result;
}

}  // namespace holdfast
