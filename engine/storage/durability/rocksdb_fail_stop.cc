#include "engine/storage/durability/rocksdb_fail_stop.h"

namespace holdfast {

std::string FailStop::reason() const {
  const sync::Lock lock(mutex_);
  return reason_;
}

void FailStop::fail(const std::string& reason) {
  const sync::Lock lock(mutex_);
  if (failed()) return;
  reason_ = reason;
  failed_.store(true, std::memory_order_release);
}

bool FailStop::take_compaction_table(const std::string& file) {
  const sync::Lock lock(mutex_);
  return compaction_tables_.erase(file) > 0;
}

void FailStop::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status* error) {
  fail(error->ToString());
}

void FailStop::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                                    bool* auto_recovery) {
  *auto_recovery = false;
}

void FailStop::OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& info) {
  if (info.reason != rocksdb::TableFileCreationReason::kCompaction) return;
  const sync::Lock lock(mutex_);
  compaction_tables_.insert(info.file_path);
}

}  // namespace holdfast
