#include "server/sqs/operations/receive_attempts.h"

#include <utility>

#include "engine/codec/encoding/json.h"

namespace holdfast::server::sqs {

std::unique_ptr<ReceiveAttempts::Turn> ReceiveAttempts::take_turn(const std::string& queue,
                                                                  const std::string& id) {
  Key key(queue, id);
  const sync::Lock lock(mutex_);
  if (!turns_.try_emplace(key).second) return nullptr;
  return std::make_unique<Turn>(*this, std::move(key));
}

void ReceiveAttempts::when_free(const std::string& queue, const std::string& id, std::function<void()> tell) {
  {
    const sync::Lock lock(mutex_);
    if (const auto turn = turns_.find(Key(queue, id)); turn != turns_.end()) {
      turn->second.push_back(std::move(tell));
      return;
    }
  }
  tell();
}

void ReceiveAttempts::end(const Key& turn) {
  std::vector<std::function<void()>> waiting;
  {
    const sync::Lock lock(mutex_);
    const auto place = turns_.find(turn);
    waiting = std::move(place->second);
    turns_.erase(place);
  }
  for (const auto& tell : waiting) tell();
}

void ReceiveAttempts::remove(std::map<Key, Kept>::iterator kept) {
  bytes_ -= kept->second.bytes;
  kept_.erase(kept);
}

void ReceiveAttempts::make_room(std::size_t bytes, Time now) {
  while (!order_.empty() && (order_.front().second <= now || bytes_ + bytes > kBytes)) {
    const auto [key, until] = std::move(order_.front());
    order_.pop_front();
    const auto found = kept_.find(key);
    if (found != kept_.end() && found->second.until == until) remove(found);
  }
}

void ReceiveAttempts::remember(const std::string& queue, const std::string& id, ReceiveAttempt attempt,
                               Time now) {
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

std::optional<ReceiveAttempt> ReceiveAttempts::find(const std::string& queue, const std::string& id,
                                                    Time now) {
  const sync::Lock lock(mutex_);
  const auto found = kept_.find(Key(queue, id));
  if (found == kept_.end() || found->second.until <= now) return std::nullopt;
  return found->second.attempt;
}

void ReceiveAttempts::forget(const std::string& queue, const std::string& id) {
  const sync::Lock lock(mutex_);
  if (const auto found = kept_.find(Key(queue, id)); found != kept_.end()) remove(found);
}

}  // namespace holdfast::server::sqs
