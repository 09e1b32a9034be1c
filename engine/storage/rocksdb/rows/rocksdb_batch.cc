#include "engine/storage/rocksdb/rows/rocksdb_batch.h"

#include <string>

#include "engine/base/helpers/check.h"

namespace holdfast {
namespace {

// A WriteBatch without a size limit refuses only keys and values of 4 GiB and more, far above the limits. To
// go on without the change would tear the batch.
void require_accepted(const rocksdb::Status& status) {
  HOLDFAST_CHECK(status.ok(), ("a batch accepts every change, but: " + status.ToString()).c_str());
}

}  // namespace

RocksdbFamilies::Handle RocksdbBatch::handle_of(Family family) const {
  auto handle = families_.find(family);
  HOLDFAST_CHECK(handle, ("a change is to a family that is there: " + family_name(family)).c_str());
  return handle;
}

void RocksdbBatch::put(Family family, std::string_view key, std::string_view value) {
  require_accepted(changes_.Put(handle_of(family).get(), key, value));
}

void RocksdbBatch::remove(Family family, std::string_view key) {
  require_accepted(changes_.Delete(handle_of(family).get(), key));
}

void RocksdbBatch::put_once(Family family, std::string_view key, std::string_view value) {
  require_accepted(changes_.Put(handle_of(family).get(), key, value));
}

void RocksdbBatch::remove_once(Family family, std::string_view key) {
  require_accepted(changes_.SingleDelete(handle_of(family).get(), key));
}

void RocksdbBatch::remove_range(Family family, std::string_view begin, std::string_view end) {
  // RocksDB would write an inverted range to the log and fail on it only afterwards.
  if (begin >= end) return;
  require_accepted(changes_.DeleteRange(handle_of(family).get(), begin, end));
}

}  // namespace holdfast
