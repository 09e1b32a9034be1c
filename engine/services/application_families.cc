#include "engine/services/application_families.h"

#include <functional>
#include <utility>

namespace holdfast {

Family store_family(FamilyId id) { return application_family(static_cast<std::uint64_t>(id)); }

std::optional<ApplicationFamily> ApplicationFamilies::find(std::string_view name) const {
  const sync::SharedLock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return ApplicationFamily{found->second, found->first};
}

bool ApplicationFamilies::contains(FamilyId id) const {
  const sync::SharedLock lock(mutex_);
  return by_id_.contains(id);
}

std::vector<ApplicationFamily> ApplicationFamilies::all() const {
  const sync::SharedLock lock(mutex_);
  std::vector<ApplicationFamily> result;
  for (const auto& [name, id] : by_name_) result.push_back({id, name});
  return result;
}

void ApplicationFamilies::add(ApplicationFamily family) {
  const sync::ExclusiveLock lock(mutex_);
  by_id_.emplace(family.id, family.name);
  by_name_.emplace(std::move(family.name), family.id);
}

void ApplicationFamilies::remove(const ApplicationFamily& family) {
  const sync::ExclusiveLock lock(mutex_);
  by_id_.erase(family.id);
  by_name_.erase(family.name);
}

void ApplicationFamilies::drop(FamilyId family, GroupNumber group) {
  dropped_.insert(family);
  last_drop_ = group;
}

std::size_t ApplicationFamilies::slot(FamilyId family, std::string_view key) {
  return (std::hash<std::string_view>{}(key) + static_cast<std::size_t>(family)) % kSlots;
}

GroupNumber ApplicationFamilies::last_write(FamilyId family, std::string_view key) const {
  return last_writes_ ? (*last_writes_)[slot(family, key)] : GroupNumber{};
}

void ApplicationFamilies::note_write(FamilyId family, std::string_view key, GroupNumber group) {
  if (!last_writes_) last_writes_ = std::make_unique<Slots>();
  (*last_writes_)[slot(family, key)] = group;
}

}  // namespace holdfast
