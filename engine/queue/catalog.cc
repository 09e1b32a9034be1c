#include "engine/queue/catalog.h"

#include <mutex>
#include <utility>

namespace holdfast {

Result<std::shared_ptr<Queue>> Catalog::find(std::string_view name) const {
  const sync::SharedLock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    return fail(ErrorCode::kQueueNotFound, "no queue named '" + std::string(name.substr(0, 128)) + "'");
  }
  return found->second;
}

std::shared_ptr<Queue> Catalog::find(QueueId id) const {
  const sync::SharedLock lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Queue>> Catalog::all() const {
  const sync::SharedLock lock(mutex_);
  std::vector<std::shared_ptr<Queue>> result;
  result.reserve(by_name_.size());
  for (const auto& [name, queue] : by_name_) result.push_back(queue);
  return result;
}

void Catalog::add(std::shared_ptr<Queue> queue) {
  const sync::ExclusiveLock lock(mutex_);
  by_id_.emplace(queue->id, queue);
  const std::string& name = queue->name;
  by_name_.emplace(name, std::move(queue));
}

void Catalog::remove(const Queue& queue) {
  const sync::ExclusiveLock lock(mutex_);
  by_id_.erase(queue.id);
  by_name_.erase(queue.name);
}

}  // namespace holdfast
