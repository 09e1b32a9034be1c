// A MemoryBatch is a list of changes, and a MemoryScan goes over copied rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/storage/memory/memory_image.h"
#include "engine/storage/store.h"

namespace holdfast {

class MemoryBatch final : public Batch {
 public:
  void put(Family family, std::string_view key, std::string_view value) override {
    add(MemoryChange::Kind::kPut, family, key, value);
  }
  void remove(Family family, std::string_view key) override {
    add(MemoryChange::Kind::kRemove, family, key, {});
  }
  void put_once(Family family, std::string_view key, std::string_view value) override {
    add(MemoryChange::Kind::kPutOnce, family, key, value);
  }
  void remove_once(Family family, std::string_view key) override {
    add(MemoryChange::Kind::kRemoveOnce, family, key, {});
  }
  void remove_range(Family family, std::string_view begin, std::string_view end) override {
    if (begin < end) add(MemoryChange::Kind::kRemoveRange, family, begin, end);
  }
  std::size_t byte_size() const override { return byte_size_; }
  bool empty() const override { return changes_.empty(); }
  void clear() override {
    changes_.clear();
    byte_size_ = 0;
  }

  const MemoryCommit& changes() const { return changes_; }

 private:
  void add(MemoryChange::Kind kind, Family family, std::string_view key, std::string_view value) {
    changes_.push_back({kind, family, std::string(key), std::string(value)});
    byte_size_ += key.size() + value.size();
  }

  MemoryCommit changes_;
  std::size_t byte_size_ = 0;
};

class MemoryScan final : public Scan {
 public:
  using Rows = std::vector<std::pair<std::string, std::string>>;

  // `end` is the status after the last row.
  MemoryScan(Rows rows, Result<void> end) : rows_(std::move(rows)), end_(std::move(end)) {}

  bool valid() const override { return position_ < rows_.size(); }
  void next() override { ++position_; }
  std::string_view key() const override { return rows_[position_].first; }
  std::string_view value() const override { return rows_[position_].second; }
  Result<void> status() const override {
    if (valid()) return {};
    return end_;
  }

 private:
  Rows rows_;
  Result<void> end_;
  std::size_t position_ = 0;
};

}  // namespace holdfast
