#include "server/access/sessions.h"

#include <algorithm>
#include <utility>

#include "server/access/tokens.h"

namespace holdfast::server {

Result<std::string> Sessions::open(std::string token, Time now) {
  auto id = make_token();
  if (!id) return id;
  const sync::Lock lock(mutex_);
  make_room(now);
  by_hash_[hash_of(*id)] = {std::move(token), now};
  return id;
}

std::string Sessions::token_of(const std::string& id, Time now) {
  const sync::Lock lock(mutex_);
  const auto found = by_hash_.find(hash_of(id));
  if (found == by_hash_.end()) return {};
  if (now - found->second.used > kSessionIdle) {
    by_hash_.erase(found);
    return {};
  }
  found->second.used = now;
  return found->second.token;
}

std::weak_ptr<const void> Sessions::lifeline_of(const std::string& id) {
  const sync::Lock lock(mutex_);
  const auto found = by_hash_.find(hash_of(id));
  return found == by_hash_.end() ? std::shared_ptr<const void>() : found->second.lifeline;
}

void Sessions::close(const std::string& id) {
  const sync::Lock lock(mutex_);
  by_hash_.erase(hash_of(id));
}

void Sessions::make_room(Time now) {
  std::erase_if(by_hash_, [now](const auto& entry) { return now - entry.second.used > kSessionIdle; });
  if (by_hash_.size() < kMaxSessions) return;
  by_hash_.erase(std::ranges::min_element(
      by_hash_, {}, [](const auto& entry) -> const Time& { return entry.second.used; }));
}

}  // namespace holdfast::server
