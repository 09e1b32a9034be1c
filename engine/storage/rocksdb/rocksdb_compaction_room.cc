#include "engine/storage/rocksdb/rocksdb_compaction_room.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <algorithm>

namespace holdfast {
namespace {

using Level = rocksdb::LevelMetaData;

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

}  // namespace

std::uint64_t compaction_room(rocksdb::DB& db, const RocksdbFamilies& families, std::uint64_t limit) {
  std::uint64_t room = 0;
  const auto count = [&](Family family) {
    if (const auto handle = families.find(family)) room = std::max(room, room_of(db, *handle, limit));
  };
  for (std::size_t i = 0; i < kFamilyCount; ++i) count(static_cast<Family>(i));
  for (const Family family : families.application_families()) count(family);
  return room;
}

}  // namespace holdfast
