// A store of which some rows cannot be read.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/switched_store.h"

namespace holdfast::testing {

// Says which rows cannot be read. Thread-safe.
class DamagedRows {
 public:
  // Damages the rows in [begin, end).
  void add(Family family, std::string begin, std::string end) {
    const std::scoped_lock lock(mutex_);
    ranges_.push_back({family, std::move(begin), std::move(end)});
  }
  void add(Family family, const std::string& key) { add(family, key, key + '\0'); }
  void add(Family family) { add(family, {}, std::string(32, '\xff')); }
  void repair() {
    const std::scoped_lock lock(mutex_);
    ranges_.clear();
  }

  Result<void> read(Family family, std::string_view key) const {
    const std::scoped_lock lock(mutex_);
    const auto hits = [&](const Range& range) {
      return range.family == family && range.begin <= key && key < range.end;
    };
    if (std::ranges::none_of(ranges_, hits)) return {};
    return fail(ErrorCode::kCorruption, "damaged");
  }

 private:
  struct Range {
    Family family;
    std::string begin;
    std::string end;
  };
  mutable std::mutex mutex_;
  std::vector<Range> ranges_;
};

class DamagedStore final : public SwitchedStore {
 public:
  DamagedStore(std::unique_ptr<Store> store, std::shared_ptr<const DamagedRows> damage)
      : SwitchedStore(std::move(store), power_on()), damage_(std::move(damage)) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    if (auto ok = damage_->read(family, key); !ok) return tl::unexpected(ok.error());
    return SwitchedStore::get(family, key);
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    return std::make_unique<DamagedScan>(SwitchedStore::scan(family, begin, end), damage_, family);
  }

 private:
  // DamagedScan is a scan that ends before the first row that cannot be read.
  class DamagedScan final : public Scan {
   public:
    DamagedScan(std::unique_ptr<Scan> scan, std::shared_ptr<const DamagedRows> damage, Family family)
        : scan_(std::move(scan)), damage_(std::move(damage)), family_(family) {
      look();
    }
    bool valid() const override { return read_ && scan_->valid(); }
    void next() override {
      scan_->next();
      look();
    }
    std::string_view key() const override { return scan_->key(); }
    std::string_view value() const override { return scan_->value(); }
    Result<void> status() const override { return read_ ? scan_->status() : read_; }

   private:
    void look() {
      if (scan_->valid()) read_ = damage_->read(family_, scan_->key());
    }

    std::unique_ptr<Scan> scan_;
    std::shared_ptr<const DamagedRows> damage_;
    Family family_;
    Result<void> read_;
  };

  std::shared_ptr<const DamagedRows> damage_;
};

}  // namespace holdfast::testing
