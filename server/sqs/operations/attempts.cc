#include "server/sqs/operations/attempts.h"

#include <utility>

#include "engine/codec/encoding/json.h"

namespace holdfast::server::sqs {

void Attempts::remove(std::map<Key, Kept>::iterator kept) {
  bytes_ -= kept->second.bytes;
  kept_.erase(kept);
}

void Attempts::make_room(std::size_t bytes, Time now) {
  while (!order_.empty() && (order_.front().second <= now || bytes_ + bytes > kBytes)) {
    const auto [key, until] = std::move(order_.front());
    order_.pop_front();
    const auto found = kept_.find(key);
    if (found != kept_.end() && found->second.until == until) remove(found);
  }
}

void Attempts::remember(const std::string& queue, const std::string& id, Attempt attempt, Time now) {
  const std::size_t bytes = dump_json(attempt.answer).size();
  const sync::Lock lock(mutex_);
  make_room(bytes, now);
  if (bytes > kBytes) return;
  const Key key(queue, id);
  if (const auto found = kept_.find(key); found != kept_.end()) remove(found);
  const Time until = now + kLength;
  kept_.emplace(key, Kept{std::move(attempt), until, bytes});
  order_.emplace_back(key, until);
  bytes_ += bytes;
}

std::optional<Attempt> Attempts::find(const std::string& queue, const std::string& id, Time now) {
  const sync::Lock lock(mutex_);
  const auto found = kept_.find(Key(queue, id));
  if (found == kept_.end() || found->second.until <= now) return std::nullopt;
  return found->second.attempt;
}

void Attempts::forget(const std::string& queue, const std::string& id) {
  const sync::Lock lock(mutex_);
  if (const auto found = kept_.find(Key(queue, id)); found != kept_.end()) remove(found);
}

}  // namespace holdfast::server::sqs
