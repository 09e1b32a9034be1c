#include "engine/core/group_index.h"

#include <functional>

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
  if (group.messages.empty()) {
    groups_.erase(key);
  } else {
    list(key, group);
  }
}

void GroupIndex::unlist(Group& group) {
  if (group.listed == 0) return;
  free_.erase(group.rank);
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
  free_.emplace(group.rank, key);
  group.listed = group.ready;
  deliverable_ += group.listed;
}

std::vector<Seq> GroupIndex::next(std::size_t max) const {
  std::vector<Seq> result;
  if (free_.empty()) return result;
  const auto& messages = groups_.find(free_.begin()->second)->second.messages;
  const std::size_t most = ordered_ ? max : 1;
  for (auto it = messages.begin(); it != messages.end() && it->second && result.size() < most; ++it) {
    result.push_back(it->first);
  }
  return result;
}

}  // namespace holdfast
