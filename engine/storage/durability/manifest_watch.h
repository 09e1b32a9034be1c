// Knows when RocksDB's manifest has grown.
#pragma once

#include <rocksdb/listener.h>

#include <atomic>

namespace holdfast {

class ManifestWatch final : public rocksdb::EventListener {
 public:
  void note() { grown_ = true; }
  // Returns whether the manifest may have grown since the last call of take().
  bool take() { return grown_.load(std::memory_order_relaxed) && grown_.exchange(false); }

  void OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) override { note(); }
  void OnCompactionCompleted(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*info*/) override {
    note();
  }

 private:
  std::atomic<bool> grown_ = true;
};

}  // namespace holdfast
