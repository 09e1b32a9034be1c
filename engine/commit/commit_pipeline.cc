#include "engine/commit/commit_pipeline.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "engine/base/helpers/check.h"

namespace holdfast {
namespace {

std::uint64_t value_of(GroupNumber group) { return static_cast<std::uint64_t>(group); }

Error stopped_by(const CommitResult& result) {
  return {ErrorCode::kStorageFailed,
          "a write failed (" + result.message +
              "); the engine refuses work until it is reopened, which tells whether the calls in flight had "
              "their effect"};
}

}  // namespace

CommitPipeline::CommitPipeline(Store& store)
    : store_(store), batch_(store.new_batch()), open_(std::make_shared<CommitGroup>(GroupNumber{1})) {}

CommitPipeline::~CommitPipeline() { (void)stop(); }

Result<void> CommitPipeline::start() {
  HOLDFAST_CHECK(!commit_thread_.joinable(), "the commit thread is started once");
  auto thread = sync::Thread::start([this] { run_commit_thread(); });
  if (!thread) return tl::unexpected(thread.error());
  commit_thread_ = *std::move(thread);
  return {};
}

GroupNumber CommitPipeline::join(const std::shared_ptr<Contributor>& contributor, Durability durability) {
  contributor->lock_.assert_held();
  CommitGroup& group = group_to_join();
  group.calls.fetch_add(1, std::memory_order_relaxed);
  const bool first = contributor->joined_ != group.number;
  if (!first && durability == Durability::kBuffered) return group.number;
  const Lock lock(mutex_);
  contributor->joined_ = group.number;
  if (first) group.contributors.push_back(contributor);
  return join_locked(durability);
}

GroupNumber CommitPipeline::join_row(Family family, std::string key, std::optional<std::string> value,
                                     Durability durability) {
  return join(CommitGroup::Row{family, std::move(key), std::move(value)}, durability);
}

GroupNumber CommitPipeline::join_removal(Family family, std::string begin, std::string end,
                                         Durability durability) {
  return join(CommitGroup::Row{family, std::move(begin), std::nullopt, std::move(end)}, durability);
}

GroupNumber CommitPipeline::join(CommitGroup::Row row, Durability durability) {
  const Lock lock(mutex_);
  open_->rows.push_back(std::move(row));
  return join_locked(durability);
}

GroupNumber CommitPipeline::join(Durability durability) {
  const Lock lock(mutex_);
  return join_locked(durability);
}

CommitGroup& CommitPipeline::group_to_join() {
  mutex_.assume_held();
  return *open_;
}

GroupNumber CommitPipeline::join_locked(Durability durability) {
  HOLDFAST_CHECK(!open_->ended, "a call joins a group that has not ended");
  open_->joined = true;
  if (durability == Durability::kFsync) open_->durability = durability;
  return open_->number;
}

Result<void> CommitPipeline::wait(GroupNumber group) {
  for (;;) {
    if (committed(group)) return {};
    Lock lock(mutex_);
    if (committed(group)) return {};
    if (failure_) return tl::unexpected(*failure_);
    if (!writing_) {
      const std::shared_ptr<CommitGroup> led = claim_open_group();
      lock.unlock();
      lead(*led);
      continue;
    }
    const std::shared_ptr<CommitGroup> followed = pending(group);
    // `news` is read under the lock. Whatever ends the group, or leaves it without a leader, changes `news`
    // after that, so this caller does not sleep through it.
    const std::uint32_t seen = followed->news.load(std::memory_order_relaxed);
    lock.unlock();
    followed->news.wait(seen, std::memory_order_acquire);
  }
}

std::shared_ptr<CommitGroup> CommitPipeline::pending(GroupNumber group) const {
  const std::shared_ptr<CommitGroup>& found = open_->number == group ? open_ : writing_;
  HOLDFAST_CHECK(found && found->number == group && !found->ended,
                 "a group that has not ended is open or being written");
  return found;
}

std::shared_ptr<CommitGroup> CommitPipeline::claim_open_group() {
  HOLDFAST_CHECK(!writing_ && !failure_, "one group is written at a time, and none after a failed write");
  writing_ = open_;
  return open_;
}

void CommitPipeline::lead(CommitGroup& group) {
  const Result<void> contributed = close(group);
  const auto start = std::chrono::steady_clock::now();
  const CommitResult result =
      contributed ? write(group) : CommitResult{CommitOutcome::kFailed, to_string(contributed.error())};
  const auto took = std::chrono::steady_clock::now() - start;
  chunk_puts_.clear();

  Lock lock(mutex_);
  if (group.joined) note(group, batch_->byte_size(), took);
  end(group, result);
  const std::optional<Error> failure = failure_;
  const std::shared_ptr<CommitGroup> open = open_;
  lock.unlock();
  tell_followers(group, *open);
  if (failure && tell_of_failure_) tell_of_failure_(*failure);
}

Result<void> CommitPipeline::close(CommitGroup& group) {
  const Gate::Closed closed(gate_);
  {
    const Lock lock(mutex_);
    open_ = std::make_shared<CommitGroup>(GroupNumber{value_of(group.number) + 1});
    open_number_.store(value_of(open_->number), std::memory_order_relaxed);
  }
  batch_->clear();
  GroupWrites writes{store_, *batch_, chunk_puts_};
  for (const auto contribute : {&Contributor::contribute_early, &Contributor::contribute}) {
    for (const auto& contributor : group.contributors) {
      if (auto ok = (*contributor.*contribute)(writes); !ok) return ok;
    }
  }
  return {};
}

CommitResult CommitPipeline::write(const CommitGroup& group) {
  if (!group.joined) return {};
  const auto put_rows = [&](bool of_applications) {
    for (const CommitGroup::Row& row : group.rows) {
      if (is_application_family(row.family) != of_applications) continue;
      if (row.range_end) {
        batch_->remove_range(row.family, row.key, *row.range_end);
      } else {
        row.value ? batch_->put(row.family, row.key, *row.value) : batch_->remove(row.family, row.key);
      }
    }
  };
  put_rows(false);
  for (const auto& [family, key, chunk] : chunk_puts_) batch_->put_once(family, key, chunk->bytes());
  // The rows of applications come last. Where the manifest is lost, RocksDB's repair knows an application's
  // family only by its tables. It leaves out the rest of a commit from the first row on whose family has no
  // table.
  put_rows(true);
  return store_.commit(*batch_, group.durability);
}

void CommitPipeline::end(CommitGroup& group, const CommitResult& result) {
  HOLDFAST_CHECK(writing_.get() == &group && open_.get() != &group && !group.ended,
                 "a group ends once, after it was closed, by its leader");
  group.ended = true;
  writing_ = nullptr;
  if (result.outcome == CommitOutcome::kCommitted) {
    // `synced_` is set before `committed_`: a thread that sees the group committed sees how durable it is.
    if (group.durability == Durability::kFsync)
      synced_.store(value_of(group.number), std::memory_order_release);
    committed_.store(value_of(group.number), std::memory_order_release);
    hand_over(std::exchange(group.callbacks, {}), group.durability, {});
  } else {
    failure_ = stopped_by(result);
    failed_.store(true, std::memory_order_release);
    hand_over(std::exchange(group.callbacks, {}), group.durability, tl::unexpected(*failure_));
    // Nobody will write the open group any more.
    hand_over(std::exchange(open_->callbacks, {}), open_->durability, tl::unexpected(*failure_));
  }
  if (commit_thread_is_wanted()) commit_thread_wake_.notify_one();
}

void CommitPipeline::hand_over(std::vector<CommitGroup::Callback> callbacks, Durability asked,
                               Result<void> outcome) {
  if (callbacks.empty()) return;
  answers_.push_back({last_committed(), asked, std::move(callbacks), std::move(outcome)});
}

void CommitPipeline::tell_followers(CommitGroup& ended, CommitGroup& open) {
  open.news.fetch_add(1, std::memory_order_release);
  ended.news.fetch_add(1, std::memory_order_release);
  // The next leader wakes first, so its write can begin while the others wake. After a failure nobody leads
  // again.
  failed_.load(std::memory_order_relaxed) ? open.news.notify_all() : open.news.notify_one();
  ended.news.notify_all();
}

void CommitPipeline::note(const CommitGroup& group, std::uint64_t bytes,
                          std::chrono::steady_clock::duration took) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  statistics_.group_calls.add(group.calls.load(std::memory_order_relaxed));
  statistics_.group_bytes.add(bytes);
  const bool synced = group.durability == Durability::kFsync;
  (synced ? statistics_.fsync_commit : statistics_.buffered_commit).add(static_cast<std::uint64_t>(micros));
}

void CommitPipeline::on_commit(GroupNumber group, Done done) {
  const Lock lock(mutex_);
  HOLDFAST_CHECK(commit_thread_.joinable() && !commit_thread_ended_,
                 "callbacks are asked for between start() and stop()");
  if (failure_ || committed(group)) {
    std::vector<CommitGroup::Callback> late;
    late.push_back({group, std::move(done)});
    const bool failed = !committed(group);
    hand_over(std::move(late), Durability::kBuffered,
              failed ? Result<void>(tl::unexpected(*failure_)) : Result<void>());
  } else {
    pending(group)->callbacks.push_back({group, std::move(done)});
  }
  if (commit_thread_is_wanted()) commit_thread_wake_.notify_one();
}

bool CommitPipeline::must_lead() const { return !writing_ && !failure_ && !open_->callbacks.empty(); }

bool CommitPipeline::commit_thread_is_wanted() const {
  return !answers_.empty() || must_lead() || (stopping_ && !writing_);
}

void CommitPipeline::run_commit_thread() {
  Lock lock(mutex_);
  for (;;) {
    while (!commit_thread_is_wanted()) commit_thread_wake_.wait(lock);
    if (!answers_.empty()) {
      call_back();
    } else if (must_lead()) {
      const std::shared_ptr<CommitGroup> led = claim_open_group();
      lock.unlock();
      lead(*led);
      lock.lock();
    } else {
      commit_thread_ended_ = true;  // the pipeline stops, and nothing is left to do
      return;
    }
  }
}

void CommitPipeline::call_back() {
  Answers answers = std::move(answers_.front());
  answers_.pop_front();
  check(answers);
  answered_ = answers.group;
  mutex_.unlock();
  for (const auto& callback : answers.callbacks) callback.done(answers.outcome);
  answers.callbacks.clear();  // what the callbacks hold goes without the lock too
  mutex_.lock();
}

void CommitPipeline::check(const Answers& answers) const {
  HOLDFAST_CHECK(answers.group >= answered_, "callbacks are called in the order of their groups");
  if (!answers.outcome) return;
  for (const auto& callback : answers.callbacks) {
    HOLDFAST_CHECK(committed(callback.group), "no callback is called before its group is committed");
    HOLDFAST_CHECK(
        answers.asked == Durability::kBuffered || durability_of(callback.group) == Durability::kFsync,
        "no callback is called with less durability than was asked");
  }
}

Durability CommitPipeline::durability_of(GroupNumber group) const {
  return synced_.load(std::memory_order_acquire) >= value_of(group) ? Durability::kFsync
                                                                    : Durability::kBuffered;
}

bool CommitPipeline::committed(GroupNumber group) const {
  return committed_.load(std::memory_order_acquire) >= value_of(group);
}

CommitStatistics CommitPipeline::statistics() const {
  const Lock lock(mutex_);
  return statistics_;
}

Result<void> CommitPipeline::healthy() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  const Lock lock(mutex_);
  return tl::unexpected(*failure_);
}

Result<void> CommitPipeline::stop() {
  HOLDFAST_CHECK(commit_thread_.get_id() != std::this_thread::get_id(), "no callback stops the pipeline");
  Result<void> result = commit_open();
  {
    const Lock lock(mutex_);
    stopping_ = true;
    commit_thread_wake_.notify_one();
  }
  if (commit_thread_.joinable()) commit_thread_.join();
  // Commits what callbacks joined and nobody waited for.
  if (auto rest = commit_open(); result) result = rest;
  return result;
}

Result<void> CommitPipeline::commit_open() {
  Lock lock(mutex_);
  if (!open_->joined && open_->callbacks.empty()) return {};
  const GroupNumber last = open_->number;
  lock.unlock();
  return wait(last);
}

}  // namespace holdfast
