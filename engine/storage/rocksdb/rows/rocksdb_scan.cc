#include "engine/storage/rocksdb/rows/rocksdb_scan.h"

#include <rocksdb/db.h>

#include <utility>

#include "engine/storage/rocksdb/environment/rocksdb_status.h"

namespace holdfast {

RocksdbScan::RocksdbScan(rocksdb::DB& db, rocksdb::ReadOptions options, RocksdbFamilies::Handle handle,
                         std::string_view begin, std::string_view end, Order order)
    : handle_(std::move(handle)),
      order_(order),
      begin_(begin),
      end_(end),
      lower_bound_(begin_),
      upper_bound_(end_) {
  options.iterate_lower_bound = &lower_bound_;
  options.iterate_upper_bound = &upper_bound_;
  iterator_.reset(db.NewIterator(options, handle_.get()));
  order == Order::kUp ? iterator_->Seek(begin) : iterator_->SeekForPrev(end);
}

Result<void> RocksdbScan::status() const {
  const rocksdb::Status status = iterator_->status();
  if (status.ok()) return {};
  return tl::unexpected(storage_error(status, "scanning"));
}

}  // namespace holdfast
