// Writes a new store in commits of a bounded size.
#pragma once

#include <memory>
#include <string_view>

#include "engine/storage/store.h"

namespace holdfast::salvage {

class Writer {
 public:
  explicit Writer(Store& store) : store_(store), batch_(store.new_batch()) {}

  Result<void> put(Family family, std::string_view key, std::string_view value) {
    batch_->put(family, key, value);
    return commit_if_large();
  }
  Result<void> put_once(Family family, std::string_view key, std::string_view value) {
    batch_->put_once(family, key, value);
    return commit_if_large();
  }
  // Creates an application's family. It must be created before rows are put into it.
  Result<void> create_family(Family family) { return store_.create_family(family); }
  // Commits the rest and makes everything durable.
  Result<void> finish() { return commit(Durability::kFsync); }

 private:
  Result<void> commit_if_large() {
    constexpr std::size_t kBytes = 4 << 20;
    return batch_->byte_size() < kBytes ? Result<void>() : commit(Durability::kBuffered);
  }
  Result<void> commit(Durability durability) {
    const CommitResult result = store_.commit(*batch_, durability);
    batch_->clear();
    if (result.outcome == CommitOutcome::kCommitted) return {};
    return fail(ErrorCode::kStorageFailed, "salvage could not write: " + result.message);
  }

  Store& store_;
  const std::unique_ptr<Batch> batch_;
};

}  // namespace holdfast::salvage
