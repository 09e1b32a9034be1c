#include "engine/storage/durability/mark_keeper.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/rocksdb_log.h"

namespace holdfast {

MarkKeeper::MarkKeeper(rocksdb::DB& db, std::shared_ptr<ManifestWatch> manifest_watch,
                       std::shared_ptr<LogWatch> log_watch, DurableMark mark)
    : db_(db),
      manifest_watch_(std::move(manifest_watch)),
      log_watch_(std::move(log_watch)),
      mark_(std::move(mark)) {
  note_durable(db_.GetLatestSequenceNumber());
  mark_.sync();
}

void MarkKeeper::note_written(std::uint64_t first) {
  if (!log_watch_->note_commit(first)) return;
  durable_.logs = log_watch_->logs();
  lacks_logs_ = true;
}

void MarkKeeper::note_buffered() {
  if (lacks_logs_) write();
}

void MarkKeeper::note_durable(std::uint64_t last) {
  if (manifest_watch_->take()) note_manifest();
  HOLDFAST_CHECK(last <= db_.GetLatestSequenceNumber(), "only a write that was written is durable");
  durable_.sequence = std::max(durable_.sequence, last);
  write();
}

void MarkKeeper::write() {
  mark_.write(durable_);
  lacks_logs_ = false;
}

// RocksDB counts the bytes of the manifest that it has synced. The file may be longer for a moment.
void MarkKeeper::note_manifest() {
  constexpr std::string_view kManifest = "/MANIFEST-";
  std::vector<std::string> files;
  std::uint64_t bytes = 0;
  if (!db_.GetLiveFiles(files, &bytes, false).ok()) return;
  for (const std::string& file : files) {
    if (!file.starts_with(kManifest)) continue;
    durable_.manifest = file_number(file.substr(1));
    durable_.manifest_bytes = bytes;
  }
}

}  // namespace holdfast
