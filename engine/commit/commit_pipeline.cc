#include "commit/commit_pipeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast {
namespace {

std::uint64_t number(GroupNumber group) { return static_cast<std::uint64_t>(group); }

Error stopped_by(const CommitResult& result) {
  return {ErrorCode::kStorageFailed,
          "a write failed (" + result.message +
              "); the engine refuses work until it is reopened, which tells whether the calls in flight had "
              "their effect"};
}

}  // namespace

CommitPipeline::CommitPipeline(Store& store) : store_(store), batch_(store.new_batch()) {}

CommitPipeline::~CommitPipeline() { (void)stop(); }

GroupNumber CommitPipeline::join(const std::shared_ptr<Contributor>& contributor, Durability durability) {
  const GroupNumber group = open_group();
  calls_.fetch_add(1, std::memory_order_relaxed);
  const bool first = contributor->joined_ != group;
  if (!first && durability == Durability::kBuffered) return group;
  const std::scoped_lock lock(mutex_);
  contributor->joined_ = group;
  open_.joined = true;
  if (first) open_.contributors.push_back(contributor);
  if (durability == Durability::kFsync) open_.durability = durability;
  return group;
}

GroupNumber CommitPipeline::join_row(Family family, std::string key, std::optional<std::string> value,
                                     Durability durability) {
  return join(Row{family, std::move(key), std::move(value)}, durability);
}

GroupNumber CommitPipeline::join_removal(Family family, std::string begin, std::string end,
                                         Durability durability) {
  return join(Row{family, std::move(begin), std::nullopt, std::move(end)}, durability);
}

GroupNumber CommitPipeline::join(Row row, Durability durability) {
  const std::scoped_lock lock(mutex_);
  open_.rows.push_back(std::move(row));
  return join_locked(durability);
}

GroupNumber CommitPipeline::join(Durability durability) {
  const std::scoped_lock lock(mutex_);
  return join_locked(durability);
}

GroupNumber CommitPipeline::join_locked(Durability durability) {
  open_.joined = true;
  if (durability == Durability::kFsync) open_.durability = durability;
  return open_group();
}

void CommitPipeline::on_commit(GroupNumber group, Done done) {
  std::unique_lock lock(mutex_);
  if (committed(group)) {
    lock.unlock();
    return done({});
  }
  // Of a group that has failed already nobody would look.
  callbacks_[number(failure_ ? open_group() : group) % 2].push_back(std::move(done));
  if (!commit_thread_.joinable()) commit_thread_ = std::thread(&CommitPipeline::run_commit_thread, this);
  if (!leading_) commit_thread_wake_.notify_one();
}

Result<void> CommitPipeline::wait(GroupNumber group) {
  std::atomic<std::uint32_t>& news = news_[number(group) % 2];
  for (;;) {
    // Read before the rest: what changes after that changes `news` too, and so is not slept through.
    const std::uint32_t seen = news.load(std::memory_order_acquire);
    if (committed(group)) return {};
    if (auto ok = healthy(); !ok) return ok;
    std::unique_lock lock(mutex_);
    if (!leading_ && !failure_ && !committed(group)) {
      lead(lock);
      continue;
    }
    lock.unlock();
    news.wait(seen, std::memory_order_acquire);
  }
}

void CommitPipeline::lead(std::unique_lock<std::mutex>& lock) {
  leading_ = true;
  lock.unlock();
  Group group = close_group();
  const auto start = std::chrono::steady_clock::now();
  const CommitResult result = write(group);
  const auto took = std::chrono::steady_clock::now() - start;
  lock.lock();
  if (group.joined) note(group, batch_->byte_size(), took);

  leading_ = false;
  const std::uint64_t closed = open_number_.load(std::memory_order_relaxed) - 1;
  if (result.outcome == CommitOutcome::kCommitted) {
    committed_.store(closed, std::memory_order_release);
    if (group.durability == Durability::kFsync) synced_ = closed;
  } else {
    failure_ = stopped_by(result);
    failed_.store(true, std::memory_order_release);
  }
  lock.unlock();
  tell_followers(closed);
  if (result.outcome != CommitOutcome::kCommitted && tell_of_failure_) tell_of_failure_(*failure_);
  lock.lock();
  call_back(lock);
  if (open_group_has_callbacks()) commit_thread_wake_.notify_one();
}

void CommitPipeline::tell_followers(std::uint64_t closed) {
  std::atomic<std::uint32_t>& finished = news_[closed % 2];
  std::atomic<std::uint32_t>& next = news_[(closed + 1) % 2];
  next.fetch_add(1, std::memory_order_release);
  finished.fetch_add(1, std::memory_order_release);
  // The next leader first: its write can begin while the others wake. After a failure nobody will lead again.
  failed_.load(std::memory_order_relaxed) ? next.notify_all() : next.notify_one();
  finished.notify_all();
}

void CommitPipeline::call_back(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t open = open_number_.load(std::memory_order_relaxed);
  std::vector<Done> callbacks = std::exchange(callbacks_[(open - 1) % 2], {});
  if (failure_) std::ranges::move(std::exchange(callbacks_[open % 2], {}), std::back_inserter(callbacks));
  if (callbacks.empty()) return;
  const Result<void> outcome = failure_ ? Result<void>(tl::unexpected(*failure_)) : Result<void>();
  lock.unlock();
  for (const Done& done : callbacks) done(outcome);
  callbacks.clear();  // what they hold goes without the lock too
  lock.lock();
}

bool CommitPipeline::open_group_has_callbacks() const {
  return !callbacks_[open_number_.load(std::memory_order_relaxed) % 2].empty();
}

CommitPipeline::Group CommitPipeline::close_group() {
  const Gate::Closed closed(gate_);
  Group group;
  {
    const std::scoped_lock lock(mutex_);
    group = std::exchange(open_, {});
    group.calls = calls_.exchange(0, std::memory_order_relaxed);
    open_number_.fetch_add(1, std::memory_order_relaxed);
  }
  batch_->clear();
  chunk_puts_.clear();
  GroupWrites writes{store_, *batch_, chunk_puts_};
  for (const auto contribute : {&Contributor::contribute_early, &Contributor::contribute}) {
    for (const auto& contributor : group.contributors) {
      group.contributed = (*contributor.*contribute)(writes);
      if (!group.contributed) return group;
    }
  }
  return group;
}

CommitResult CommitPipeline::write(const Group& group) {
  if (!group.contributed) return {CommitOutcome::kFailed, to_string(group.contributed.error())};
  const auto put_rows = [&](bool of_applications) {
    for (const Row& row : group.rows) {
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
  // Last: where the manifest is lost, RocksDB's repair knows an application's family by its tables only, and
  // leaves out the rest of a commit from the first row on whose family has none.
  put_rows(true);
  CommitResult result = group.joined ? store_.commit(*batch_, group.durability) : CommitResult{};
  chunk_puts_.clear();
  return result;
}

void CommitPipeline::note(const Group& group, std::uint64_t bytes, std::chrono::steady_clock::duration took) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  statistics_.group_calls.add(group.calls);
  statistics_.group_bytes.add(bytes);
  const bool synced = group.durability == Durability::kFsync;
  (synced ? statistics_.fsync_commit : statistics_.buffered_commit).add(static_cast<std::uint64_t>(micros));
}

CommitStatistics CommitPipeline::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_;
}

void CommitPipeline::run_commit_thread() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto is_called = [&] { return !leading_ && open_group_has_callbacks(); };
    commit_thread_wake_.wait(lock, [&] { return stopping_ || is_called(); });
    // Also when it is stopping: after a failure, stop() leaves them to this thread.
    if (!is_called()) return;
    failure_ ? call_back(lock) : lead(lock);
  }
}

Durability CommitPipeline::durability_of(GroupNumber group) const {
  const std::scoped_lock lock(mutex_);
  return synced_ >= number(group) ? Durability::kFsync : Durability::kBuffered;
}

bool CommitPipeline::committed(GroupNumber group) const {
  return committed_.load(std::memory_order_acquire) >= number(group);
}

Result<void> CommitPipeline::healthy() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  const std::scoped_lock lock(mutex_);
  return tl::unexpected(*failure_);
}

Result<void> CommitPipeline::stop() {
  std::optional<GroupNumber> last;
  {
    const std::scoped_lock lock(mutex_);
    if (open_.joined || open_group_has_callbacks()) last = open_group();
  }
  Result<void> result = last ? wait(*last) : Result<void>();
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  commit_thread_wake_.notify_one();
  if (commit_thread_.joinable()) commit_thread_.join();
  return result;
}

}  // namespace holdfast
