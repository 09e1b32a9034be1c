#include "server/access/sessions.h"

#include <algorithm>
#include <utility>

#include "server/access/tokens.h"

namespace holdfast::server {

bool SessionLifeline::is_over(SessionTime now) const {
  const auto used = used_.lock();
  return !used || now - used->load() > kSessionIdle;
}

Result<std::string> Sessions::open(std::string token, Time now) {
  auto id = make_token();
  if (!id) return id;
  const sync::Lock lock(mutex_);
  make_room(now);
  by_hash_[hash_of(*id)] = {std::move(token), std::make_shared<std::atomic<Time>>(now)};
  return id;
}

std::string Sessions::token_of(const std::string& id, Time now) {
  const sync::Lock lock(mutex_);
  const auto found = by_hash_.find(hash_of(id));
  if (found == by_hash_.end()) return {};
  if (found->second.is_over(now)) {
    by_hash_.erase(found);
    return {};
  }
  found->second.used->store(now);
  return found->second.token;
}

SessionLifeline Sessions::lifeline_of(const std::string& id) {
  const sync::Lock lock(mutex_);
  const auto found = by_hash_.find(hash_of(id));
  return found == by_hash_.end() ? SessionLifeline() : SessionLifeline(found->second.used);
}

void Sessions::close(const std::string& id) {
  const sync::Lock lock(mutex_);
  by_hash_.erase(hash_of(id));
}

void Sessions::make_room(Time now) {
  std::erase_if(by_hash_, [now](const auto& entry) { return entry.second.is_over(now); });
  if (by_hash_.size() < kMaxSessions) return;
  by_hash_.erase(
      std::ranges::min_element(by_hash_, {}, [](const auto& entry) { return entry.second.used->load(); }));
}

}  // namespace holdfast::server
