#include "tests/power/machine.h"

#include <thread>
#include <utility>

#include "engine/storage/memory/memory_store.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

// A batch that knows the marks in what is put into it.
class MarkedBatch final : public Batch {
 public:
  explicit MarkedBatch(std::unique_ptr<Batch> batch) : batch_(std::move(batch)) {}

  void put(Family family, std::string_view key, std::string_view value) override {
    look_at(key, value);
    batch_->put(family, key, value);
  }
  void remove(Family family, std::string_view key) override { batch_->remove(family, key); }
  void put_once(Family family, std::string_view key, std::string_view value) override {
    look_at(key, value);
    batch_->put_once(family, key, value);
  }
  void remove_once(Family family, std::string_view key) override { batch_->remove_once(family, key); }
  void remove_range(Family family, std::string_view begin, std::string_view end) override {
    batch_->remove_range(family, begin, end);
  }
  std::size_t byte_size() const override { return batch_->byte_size(); }
  bool empty() const override { return batch_->empty(); }
  void clear() override {
    batch_->clear();
    marks_.clear();
  }

  Batch& unmarked() { return *batch_; }
  const std::vector<Mark>& marks() const { return marks_; }

 private:
  void look_at(std::string_view key, std::string_view value) {
    const auto add = [this](const Mark& mark) { marks_.push_back(mark); };
    for_each_mark(key, add);
    for_each_mark(value, add);
  }

  std::unique_ptr<Batch> batch_;
  std::vector<Mark> marks_;
};

}  // namespace

class SlowStore final : public SwitchedStore {
 public:
  SlowStore(std::unique_ptr<Store> store, Machine& machine)
      : SwitchedStore(std::move(store), testing::power_on()), machine_(machine) {}

  std::unique_ptr<Batch> new_batch() override {
    return std::make_unique<MarkedBatch>(SwitchedStore::new_batch());
  }

  CommitResult commit(Batch& batch, Durability durability) override {
    auto& marked = static_cast<MarkedBatch&>(batch);
    machine_.hold_up();  // before the commit is written
    const bool written = machine_.is_on();
    machine_.hold_up();                                        // after it was written
    if (durability == Durability::kFsync) machine_.hold_up();  // before it is synced
    CommitResult result = machine_.commit(
        written, [&](Durability done) { return SwitchedStore::commit(marked.unmarked(), done); },
        marked.marks(), durability);
    machine_.hold_up();  // before anybody is told
    return result;
  }
  Result<void> close() override { return machine_.is_on() ? SwitchedStore::close() : Result<void>(); }

 private:
  Machine& machine_;
};

Machine::Machine(std::uint64_t seed) : disk_(std::make_shared<MemoryDisk>(seed)), random_(seed) {}

std::unique_ptr<Store> Machine::power_on() {
  const std::scoped_lock lock(mutex_);
  on_ = true;
  written_.clear();
  synced_.clear();
  unsynced_.clear();
  return std::make_unique<SlowStore>(must(open_memory_store(disk_)), *this);
}

void Machine::cut_power() {
  const std::scoped_lock lock(mutex_);
  on_ = false;
  slow_ = false;
}

bool Machine::forget() {
  const bool any = disk_->unsynced_commits() > 0;
  disk_->crash();
  return any;
}

CommitResult Machine::commit(bool written, const std::function<CommitResult(Durability)>& commit,
                             const std::vector<Mark>& marks, Durability durability) {
  const std::scoped_lock lock(mutex_);
  if (!on_) {
    // The power went after the commit was written. If the commit got so far, it is among what may be lost.
    if (written && random_.one_in(2)) (void)commit(Durability::kBuffered);
    return {.outcome = CommitOutcome::kUnknown, .message = "the power is off"};
  }
  CommitResult result = commit(durability);
  if (result.outcome == CommitOutcome::kCommitted) note(marks, durability);
  return result;
}

void Machine::note(const std::vector<Mark>& marks, Durability durability) {
  written_.insert(marks.begin(), marks.end());
  unsynced_.insert(unsynced_.end(), marks.begin(), marks.end());
  if (durability == Durability::kBuffered) return;
  synced_.insert(unsynced_.begin(), unsynced_.end());
  unsynced_.clear();
}

bool Machine::has(const Mark& mark, Durability durability) const {
  const std::scoped_lock lock(mutex_);
  return (durability == Durability::kFsync ? synced_ : written_).contains(mark);
}

void Machine::hold_up() {
  if (!slow_) return;
  std::uint64_t turns_left = 0;
  std::uint64_t enough = calls_.load(std::memory_order_relaxed);
  {
    const std::scoped_lock lock(mutex_);
    if (random_.one_in(4)) return;
    enough += random_.between(1, 6);
    turns_left = random_.between(1, 15);  // a turn may take long on a busy machine
  }
  while (slow_ && calls_.load(std::memory_order_relaxed) < enough && turns_left-- > 0)
    std::this_thread::yield();
}

}  // namespace holdfast::testing
