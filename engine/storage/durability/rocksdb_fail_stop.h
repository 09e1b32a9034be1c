// Remembers the store's first failure, after which nothing more is written.
#pragma once

#include <rocksdb/listener.h>

#include <atomic>
#include <set>
#include <string>

#include "engine/sync/mutex.h"

namespace holdfast {

// RocksDB would resume by itself after some failures, such as a full disk. The store must not resume: what a
// failed write or fsync left behind is known only after the directory is opened again.
class FailStop final : public rocksdb::EventListener {
 public:
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::string reason() const;

  // Stops the store. The reason of the first failure is kept, since later failures are its consequences.
  void fail(const std::string& reason);

  // Returns whether `file` is a table that a compaction is about to create. It is true once for each table.
  bool take_compaction_table(const std::string& file);

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* auto_recovery) override;
  void OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& info) override;

 private:
  mutable sync::Mutex mutex_;
  std::string reason_ HOLDFAST_GUARDED_BY(mutex_);
  std::set<std::string> compaction_tables_ HOLDFAST_GUARDED_BY(mutex_);
  std::atomic<bool> failed_ = false;
};

}  // namespace holdfast
