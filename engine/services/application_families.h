// The application's own families, by name and by id, and what a transaction needs to check a condition on
// their keys without reading under a lock. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/commit/commit_pipeline.h"
#include "engine/storage/store.h"
#include "engine/sync/mutex.h"
#include "holdfast/transaction.h"

namespace holdfast {

// Returns the store's family that keeps an application's family.
Family store_family(FamilyId id);

class ApplicationFamilies {
 public:
  std::optional<ApplicationFamily> find(std::string_view name) const;
  bool contains(FamilyId id) const;
  std::vector<ApplicationFamily> all() const;  // sorted by name
  void add(ApplicationFamily family);
  void remove(const ApplicationFamily& family);

  // The mutex is held from the check of a transaction's families and conditions until its rows have joined
  // the group, so that rows join in the order in which they were checked. It is taken inside a Pass, after
  // the queues' locks.
  sync::Mutex write_mutex;

  // Notes that a transaction may no longer name the family. `group` commits the end of the family.
  void drop(FamilyId family, GroupNumber group) HOLDFAST_REQUIRES(write_mutex);
  // Returns whether transactions may name the family.
  bool takes_writes(FamilyId family) const HOLDFAST_REQUIRES(write_mutex) {
    return contains(family) && !dropped_.contains(family);
  }
  // Returns the last group that commits the end of a family.
  GroupNumber last_drop() const HOLDFAST_REQUIRES(write_mutex) { return last_drop_; }

  // Returns a group after which no write of this key has joined. A few keys share one place in the
  // table, so the group may be later than the true one.
  GroupNumber last_write(FamilyId family, std::string_view key) const HOLDFAST_REQUIRES(write_mutex);
  void note_write(FamilyId family, std::string_view key, GroupNumber group) HOLDFAST_REQUIRES(write_mutex);

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  using Slots = std::array<GroupNumber, kSlots>;
  static std::size_t slot(FamilyId family, std::string_view key);

  mutable sync::SharedMutex mutex_;
  std::map<std::string, FamilyId, std::less<>> by_name_ HOLDFAST_GUARDED_BY(mutex_);
  std::map<FamilyId, std::string> by_id_ HOLDFAST_GUARDED_BY(mutex_);
  std::unique_ptr<Slots> last_writes_ HOLDFAST_GUARDED_BY(write_mutex);  // made by the first write
  std::set<FamilyId> dropped_ HOLDFAST_GUARDED_BY(write_mutex);          // since the engine was opened
  GroupNumber last_drop_ HOLDFAST_GUARDED_BY(write_mutex){};
};

}  // namespace holdfast
