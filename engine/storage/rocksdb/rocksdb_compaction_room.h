// Estimates how much of the device RocksDB may need for a while, beside what it has.
#pragma once

#include <cstdint>

#include "engine/storage/rocksdb/rocksdb_families.h"

namespace holdfast {

// Returns the most bytes that the next compaction may write before what it read is deleted. Compactions run
// one at a time, so all of them together need no more. `limit` is the max_compaction_bytes of the families.
std::uint64_t compaction_room(rocksdb::DB& db, const RocksdbFamilies& families, std::uint64_t limit);

}  // namespace holdfast
