#include "engine/storage/memory/memory_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/storage/memory/memory_batch.h"
#include "engine/sync/leaf_mutex.h"

namespace holdfast {
namespace {

tl::unexpected<Error> injected(ErrorCode code) { return fail(code, "injected failure of a read"); }

}  // namespace

// A MemorySnapshot is the snapshot of a store that goes on.
class MemorySnapshot final : public Reader {
 public:
  explicit MemorySnapshot(MemoryImage image) : image_(std::move(image)) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    const std::string* value = image_.find(family, key);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    return std::make_unique<MemoryScan>(image_.range(family, begin, end), Result<void>());
  }
  std::vector<Family> application_families() const override { return image_.application_families(); }

 private:
  const MemoryImage image_;
};

class MemoryStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(std::shared_ptr<MemoryDisk> disk) {
    auto image = disk->attach();
    if (!image) return tl::unexpected(image.error());
    return std::make_unique<MemoryStore>(std::move(disk), *std::move(image));
  }

  MemoryStore(std::shared_ptr<MemoryDisk> disk, MemoryImage image)
      : disk_(std::move(disk)), image_(std::move(image)) {}
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;
  ~MemoryStore() override {
    if (disk_ != nullptr) disk_->detach();
  }

  std::unique_ptr<Batch> new_batch() override { return std::make_unique<MemoryBatch>(); }

  CommitResult commit(Batch& batch, Durability durability) override;
  std::vector<Family> application_families() const override;
  Result<void> create_family(Family family) override;
  Result<void> drop_family(Family family) override;
  Result<std::optional<std::string>> get(Family family, std::string_view key) const override;
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override;
  std::unique_ptr<Scan> scan_down(Family family, std::string_view begin, std::string_view end) const override;
  std::unique_ptr<Reader> snapshot() const override;
  Result<std::uint64_t> free_space() const override;
  StoreStatistics statistics() const override { return {}; }
  std::uint64_t approximate_bytes(Family family, std::string_view begin, std::string_view end) const override;
  Result<void> compact(Family, std::string_view, std::string_view, std::atomic<bool>*) override { return {}; }
  Result<BackupInfo> backup(const std::filesystem::path& directory, const BackupOptions& options,
                            std::uint64_t keep_free, const std::atomic<bool>& cancel) override;
  Result<void> close() override;

 private:
  Result<void> working() const HOLDFAST_REQUIRES(mutex_);
  std::unique_ptr<Scan> scan_of(MemoryScan::Rows rows) const HOLDFAST_REQUIRES(mutex_);

  mutable sync::LeafMutex mutex_;
  std::shared_ptr<MemoryDisk> disk_ HOLDFAST_GUARDED_BY(mutex_);  // null once closed
  MemoryImage image_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<CommitResult> failure_ HOLDFAST_GUARDED_BY(mutex_);
};

CommitResult MemoryStore::commit(Batch& batch, Durability durability) {
  const sync::LeafLock lock(mutex_);
  if (failure_) {
    const bool fenced = failure_->outcome == CommitOutcome::kFenced;
    return {fenced ? CommitOutcome::kFenced : CommitOutcome::kFailed,
            "the store stopped after an earlier failure: " + failure_->message};
  }
  auto* own = dynamic_cast<MemoryBatch*>(&batch);
  HOLDFAST_CHECK(own != nullptr, "a store commits a batch that it made");
  const auto& changes = own->changes();
  CommitResult result = disk_->write(changes, durability, image_);
  if (result.outcome == CommitOutcome::kCommitted) {
    image_.apply(changes);
  } else {
    failure_ = result;
  }
  return result;
}

Result<void> MemoryStore::working() const {
  if (!failure_) return {};
  return fail(ErrorCode::kStorageFailed, "the store stopped after an earlier failure: " + failure_->message);
}

std::vector<Family> MemoryStore::application_families() const {
  const sync::LeafLock lock(mutex_);
  return image_.application_families();
}

Result<void> MemoryStore::create_family(Family family) {
  const sync::LeafLock lock(mutex_);
  if (auto ok = working(); !ok) return ok;
  disk_->create_family(family);
  image_.create_family(family);
  return {};
}

Result<void> MemoryStore::drop_family(Family family) {
  const sync::LeafLock lock(mutex_);
  if (auto ok = working(); !ok) return ok;
  disk_->drop_family(family);
  image_.drop_family(family);
  return {};
}

Result<std::optional<std::string>> MemoryStore::get(Family family, std::string_view key) const {
  const sync::LeafLock lock(mutex_);
  if (const auto code = disk_->next_read_fault()) return injected(*code);
  const std::string* value = image_.find(family, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::unique_ptr<Scan> MemoryStore::scan(Family family, std::string_view begin, std::string_view end) const {
  const sync::LeafLock lock(mutex_);
  return scan_of(image_.range(family, begin, end));
}

std::unique_ptr<Scan> MemoryStore::scan_down(Family family, std::string_view begin,
                                             std::string_view end) const {
  const sync::LeafLock lock(mutex_);
  auto rows = image_.range(family, begin, end);
  std::ranges::reverse(rows);
  return scan_of(std::move(rows));
}

std::unique_ptr<Scan> MemoryStore::scan_of(MemoryScan::Rows rows) const {
  const auto code = disk_->next_read_fault();
  if (!code) return std::make_unique<MemoryScan>(std::move(rows), Result<void>());
  rows.resize(disk_->random_below(rows.size() + 1));
  return std::make_unique<MemoryScan>(std::move(rows), injected(*code));
}

std::unique_ptr<Reader> MemoryStore::snapshot() const {
  const sync::LeafLock lock(mutex_);
  return std::make_unique<MemorySnapshot>(image_);
}

Result<std::uint64_t> MemoryStore::free_space() const {
  const sync::LeafLock lock(mutex_);
  return disk_->free_space(image_.byte_size());
}

std::uint64_t MemoryStore::approximate_bytes(Family family, std::string_view begin,
                                             std::string_view end) const {
  const sync::LeafLock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [key, value] : image_.range(family, begin, end)) bytes += key.size() + value.size();
  return bytes;
}

Result<BackupInfo> MemoryStore::backup(const std::filesystem::path& /*directory*/,
                                       const BackupOptions& /*options*/, std::uint64_t /*keep_free*/,
                                       const std::atomic<bool>& /*cancel*/) {
  return fail(ErrorCode::kInvalidArgument, "a store in memory has no files to back up");
}

Result<void> MemoryStore::close() {
  const sync::LeafLock lock(mutex_);
  if (!failure_) disk_->sync();
  disk_->detach();
  disk_.reset();
  if (failure_) return fail(ErrorCode::kStorageFailed, "closing after a failure: " + failure_->message);
  return {};
}

Result<std::unique_ptr<Store>> open_memory_store(std::shared_ptr<MemoryDisk> disk) {
  return MemoryStore::open(std::move(disk));
}

}  // namespace holdfast
