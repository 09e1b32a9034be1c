// SwitchedStore has a power switch. Once it is off, nothing is written any more, not even by close().
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "engine/storage/store.h"

namespace holdfast::testing {

using PowerSwitch = std::shared_ptr<std::atomic<bool>>;

inline PowerSwitch power_on() { return std::make_shared<std::atomic<bool>>(true); }

class SwitchedStore : public Store {
 public:
  SwitchedStore(std::unique_ptr<Store> store, PowerSwitch power)
      : store_(std::move(store)), power_(std::move(power)) {}

  std::unique_ptr<Batch> new_batch() override { return store_->new_batch(); }
  CommitResult commit(Batch& batch, Durability durability) override {
    if (!*power_) return {.outcome = CommitOutcome::kFailed, .message = "the power is off"};
    return store_->commit(batch, durability);
  }
  std::vector<Family> application_families() const override { return store_->application_families(); }
  Result<void> create_family(Family family) override { return store_->create_family(family); }
  Result<void> drop_family(Family family) override { return store_->drop_family(family); }
  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    return store_->get(family, key);
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    return store_->scan(family, begin, end);
  }
  std::unique_ptr<Scan> scan_down(Family family, std::string_view begin,
                                  std::string_view end) const override {
    return store_->scan_down(family, begin, end);
  }
  std::unique_ptr<Reader> snapshot() const override { return store_->snapshot(); }
  Result<std::uint64_t> free_space() const override { return store_->free_space(); }
  StoreStatistics statistics() const override { return store_->statistics(); }
  std::uint64_t approximate_bytes(Family family, std::string_view begin,
                                  std::string_view end) const override {
    return store_->approximate_bytes(family, begin, end);
  }
  Result<void> compact(Family family, std::string_view begin, std::string_view end,
                       std::atomic<bool>* cancel) override {
    return store_->compact(family, begin, end, cancel);
  }
  Result<BackupInfo> backup(const std::filesystem::path& directory, const BackupOptions& options,
                            std::uint64_t keep_free, const std::atomic<bool>& cancel) override {
    return store_->backup(directory, options, keep_free, cancel);
  }
  Result<void> close() override { return *power_ ? store_->close() : Result<void>(); }

 private:
  std::unique_ptr<Store> store_;
  PowerSwitch power_;
};

}  // namespace holdfast::testing
