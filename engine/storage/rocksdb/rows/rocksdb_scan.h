// A RocksdbScan is a Scan over a RocksDB iterator.
#pragma once

#include <rocksdb/iterator.h>
#include <rocksdb/options.h>

#include <memory>
#include <string>

#include "engine/storage/rocksdb/rows/rocksdb_families.h"
#include "engine/storage/store.h"

namespace holdfast {

// An EmptyScan is a scan over a family that is not there.
class EmptyScan final : public Scan {
 public:
  bool valid() const override { return false; }
  void next() override {}
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  Result<void> status() const override { return {}; }
};

class RocksdbScan final : public Scan {
 public:
  enum class Order : std::uint8_t { kUp, kDown };
  // `options` are those of the reads, apart from the bounds, which the scan sets.
  RocksdbScan(rocksdb::DB& db, rocksdb::ReadOptions options, RocksdbFamilies::Handle handle,
              std::string_view begin, std::string_view end, Order order);
  RocksdbScan(const RocksdbScan&) = delete;
  RocksdbScan& operator=(const RocksdbScan&) = delete;

  bool valid() const override { return iterator_->Valid(); }
  void next() override { order_ == Order::kUp ? iterator_->Next() : iterator_->Prev(); }
  std::string_view key() const override { return iterator_->key().ToStringView(); }
  std::string_view value() const override { return iterator_->value().ToStringView(); }
  Result<void> status() const override;

 private:
  RocksdbFamilies::Handle handle_;
  const Order order_;
  // The iterator points to the slices, and the slices point to these bytes.
  std::string begin_;
  std::string end_;
  rocksdb::Slice lower_bound_;
  rocksdb::Slice upper_bound_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace holdfast
