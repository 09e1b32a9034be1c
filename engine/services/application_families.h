// The application's own families, by name and by id, and what it takes to check a condition on their keys
// without reading under a lock. Thread-safe.
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

// Where the store keeps it.
Family store_family(FamilyId id);

class ApplicationFamilies {
 public:
  std::optional<ApplicationFamily> find(std::string_view name) const;
  bool contains(FamilyId id) const;
  std::vector<ApplicationFamily> all() const;  // by name
  void add(ApplicationFamily family);
  void remove(const ApplicationFamily& family);

  // Taken inside a Pass, after the queues' locks, from checking the families and conditions of a transaction
  // until its rows have joined the group: so that rows join in the order in which they were checked.
  sync::Mutex write_mutex;

  // From here on no transaction names the family, whose dropping the group commits.
  void drop(FamilyId family, GroupNumber group) HOLDFAST_REQUIRES(write_mutex);
  // Whether transactions may name it.
  bool takes_writes(FamilyId family) const HOLDFAST_REQUIRES(write_mutex) {
    return contains(family) && !dropped_.contains(family);
  }
  // The last group that commits a dropping.
  GroupNumber last_drop() const HOLDFAST_REQUIRES(write_mutex) { return last_drop_; }

  // No write of this key has joined a later group than the one given. A few keys share
  // an answer, so a later group may be named than the true one.
  GroupNumber last_write(FamilyId family, std::string_view key) const HOLDFAST_REQUIRES(write_mutex);
  void note_write(FamilyId family, std::string_view key, GroupNumber group) HOLDFAST_REQUIRES(write_mutex);

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  using Slots = std::array<GroupNumber, kSlots>;
  static std::size_t slot(FamilyId family, std::string_view key);

  mutable sync::SharedMutex mutex_;
  std::map<std::string, FamilyId, std::less<>> by_name_ HOLDFAST_GUARDED_BY(mutex_);
  std::map<FamilyId, std::string> by_id_ HOLDFAST_GUARDED_BY(mutex_);
  std::unique_ptr<Slots> last_writes_ HOLDFAST_GUARDED_BY(write_mutex);  // from the first write on
  std::set<FamilyId> dropped_ HOLDFAST_GUARDED_BY(write_mutex);          // in this lifetime
  GroupNumber last_drop_ HOLDFAST_GUARDED_BY(write_mutex){};
};

}  // namespace holdfast
