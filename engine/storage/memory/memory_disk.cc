#include "engine/storage/memory/memory_disk.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "engine/base/helpers/check.h"

namespace holdfast {

void MemoryDisk::crash() {
  const sync::LeafLock lock(mutex_);
  HOLDFAST_CHECK(!attached_, "a memory disk crashes while no store is open on it");
  write_back(random_() % (unsynced_.size() + 1));
  unsynced_.clear();
}

void MemoryDisk::fail_commit(std::uint64_t nth, CommitOutcome outcome) {
  const sync::LeafLock lock(mutex_);
  HOLDFAST_CHECK(nth > 0 && outcome != CommitOutcome::kCommitted, "a later commit is to fail");
  commit_faults_[commits_ + nth] = outcome;
}

void MemoryDisk::fail_read(std::uint64_t nth, ErrorCode code) {
  const sync::LeafLock lock(mutex_);
  HOLDFAST_CHECK(nth > 0 && (code == ErrorCode::kCorruption || code == ErrorCode::kStorageFailed),
                 "a later read is to fail as reads do");
  read_faults_[reads_ + nth] = code;
}

void MemoryDisk::set_capacity(std::optional<std::size_t> bytes) {
  const sync::LeafLock lock(mutex_);
  capacity_ = bytes;
}

std::size_t MemoryDisk::unsynced_commits() const {
  const sync::LeafLock lock(mutex_);
  return unsynced_.size();
}

Result<MemoryImage> MemoryDisk::attach() {
  const sync::LeafLock lock(mutex_);
  if (attached_) return fail(ErrorCode::kLocked, "the memory disk already has an open store");
  attached_ = true;
  MemoryImage image = durable_;
  for (const auto& commit : unsynced_) image.apply(commit);
  return image;
}

void MemoryDisk::detach() {
  const sync::LeafLock lock(mutex_);
  attached_ = false;
}

CommitResult MemoryDisk::write(const MemoryCommit& commit, Durability durability, const MemoryImage& image) {
  const sync::LeafLock lock(mutex_);
  if (const auto fault = commit_faults_.extract(++commits_)) {
    const bool there = fault.mapped() == CommitOutcome::kUnknown && random_() % 2 == 0;
    if (there) unsynced_.push_back(commit);
    return {fault.mapped(), "injected failure of commit " + std::to_string(commits_)};
  }
  if (capacity_) {
    MemoryImage after = image;
    after.apply(commit);
    if (after.byte_size() > *capacity_ && after.byte_size() > image.byte_size()) {
      return {CommitOutcome::kFailed,
              "no space is left on the memory disk of " + std::to_string(*capacity_) + " bytes"};
    }
  }
  unsynced_.push_back(commit);
  if (durability == Durability::kFsync) write_back(unsynced_.size());
  return {};
}

void MemoryDisk::create_family(Family family) {
  const sync::LeafLock lock(mutex_);
  durable_.create_family(family);
}

void MemoryDisk::drop_family(Family family) {
  const sync::LeafLock lock(mutex_);
  for (MemoryCommit& commit : unsynced_) {
    std::erase_if(commit, [&](const MemoryChange& change) { return change.family == family; });
  }
  durable_.drop_family(family);
}

void MemoryDisk::sync() {
  const sync::LeafLock lock(mutex_);
  write_back(unsynced_.size());
}

std::uint64_t MemoryDisk::free_space(std::size_t used) const {
  const sync::LeafLock lock(mutex_);
  if (!capacity_) return std::numeric_limits<std::uint64_t>::max();
  return *capacity_ - std::min(*capacity_, used);
}

std::optional<ErrorCode> MemoryDisk::next_read_fault() {
  const sync::LeafLock lock(mutex_);
  const auto fault = read_faults_.extract(++reads_);
  return fault ? std::optional(fault.mapped()) : std::nullopt;
}

std::uint64_t MemoryDisk::random_below(std::uint64_t bound) {
  const sync::LeafLock lock(mutex_);
  return random_() % bound;
}

void MemoryDisk::write_back(std::size_t count) {
  const auto end = std::next(unsynced_.begin(), static_cast<std::ptrdiff_t>(count));
  for (auto commit = unsynced_.begin(); commit != end; ++commit) durable_.apply(*commit);
  unsynced_.erase(unsynced_.begin(), end);
}

}  // namespace holdfast
