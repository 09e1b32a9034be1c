#include "engine/storage/rocksdb/rocksdb_compaction_room.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace holdfast {
namespace {

using Level = rocksdb::LevelMetaData;

// RocksDB may write this many bytes to its lists of files and options when compactions are let start.
constexpr std::uint64_t kRoomForLists = std::uint64_t{1} << 20;

std::uint64_t largest_table(const Level& level) {
  const auto largest = std::ranges::max_element(level.files, {}, &rocksdb::SstFileMetaData::size);
  return largest == level.files.end() ? 0 : largest->size;
}

// Returns the room for a compaction of one family. The tables of level 0 are merged with the whole level that
// they go to. A table of another level is merged with those of the next level that share its keys.
std::uint64_t room_of(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& family, std::uint64_t limit) {
  rocksdb::ColumnFamilyMetaData tables;
  db.GetColumnFamilyMetaData(&family, &tables);
  std::uint64_t base = 0;
  db.GetIntProperty(&family, rocksdb::DB::Properties::kBaseLevel, &base);
  if (tables.file_count == 0 || base == 0 || base >= tables.levels.size()) return 0;
  const std::uint64_t first = tables.levels.front().size;
  std::uint64_t room = first == 0 ? 0 : first + tables.levels[base].size;
  for (std::size_t i = base; i + 1 < tables.levels.size(); ++i)
    room = std::max(room, largest_table(tables.levels[i]) + std::min(tables.levels[i + 1].size, limit));
  return room;
}

std::vector<RocksdbFamilies::Handle> all_of(const RocksdbFamilies& families) {
  std::vector<RocksdbFamilies::Handle> all;
  const auto add = [&](Family family) {
    if (auto handle = families.find(family)) all.push_back(std::move(handle));
  };
  for (std::size_t i = 0; i < kFamilyCount; ++i) add(static_cast<Family>(i));
  for (const Family family : families.application_families()) add(family);
  return all;
}

}  // namespace

std::uint64_t compaction_room(rocksdb::DB& db, const RocksdbFamilies& families, std::uint64_t limit) {
  std::uint64_t room = 0;
  for (const auto& family : all_of(families)) room = std::max(room, room_of(db, *family, limit));
  return room;
}

void DeferredCompactions::defer(FamilyPlan& plan) {
  for (auto& family : plan.built_in) family.options.disable_auto_compactions = true;
  plan.application.disable_auto_compactions = true;
}

void DeferredCompactions::note_space(std::uint64_t free, std::uint64_t room) {
  has_room_.store(free >= room + kRoomForLists, std::memory_order_relaxed);
}

std::optional<rocksdb::Status> DeferredCompactions::start_if_room(rocksdb::DB& db,
                                                                  const RocksdbFamilies& families) {
  if (!deferred_ || !has_room_.load(std::memory_order_relaxed)) return std::nullopt;
  deferred_ = false;
  const auto owned = all_of(families);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  handles.reserve(owned.size());
  for (const auto& family : owned) handles.push_back(family.get());
  return db.EnableAutoCompaction(handles);
}

}  // namespace holdfast
