#include "server/sqs/operations/cooldown.h"

namespace holdfast::server::sqs {

void Cooldown::begin(const std::string& name, Time now) {
  const sync::Lock lock(mutex_);
  std::erase_if(until_, [now](const auto& entry) { return entry.second <= now; });
  until_[name] = now + length_;
}

bool Cooldown::holds(const std::string& name, Time now) const {
  const sync::Lock lock(mutex_);
  const auto found = until_.find(name);
  return found != until_.end() && found->second > now;
}

}  // namespace holdfast::server::sqs
