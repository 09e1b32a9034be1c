// The receives that wait for a queue's messages. A queue has one, under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <vector>

#include "engine/commit/commit_group.h"
#include "engine/core/queue_state.h"
#include "holdfast/error.h"
#include "holdfast/limits.h"
#include "holdfast/message.h"

namespace holdfast {

// Messages handed out by one receive; theirs once `group` is committed.
struct LeasedBatch {
  std::vector<Grant> grants;
  LeaseTerms terms;
  ByteBudget budget{limits::kBatchBytes};
  GroupNumber group{};
};

// A receive that waits for messages.
struct Waiter {
  std::uint64_t token = 0;
  std::size_t max = 1;
  Duration lease{};
  std::shared_ptr<const Consumer> consumer;
  bool prefetch = false;
  Timestamp deadline{};
  // Called once, under the queue's lock and a Pass, with messages, with none (the wait is over), or with an
  // error (the queue was deleted).
  std::function<void(Result<LeasedBatch>)> resolve;
};

class WaitingReceives {
 public:
  bool empty() const { return waiters_.empty(); }
  const Waiter& first() const { return waiters_.front(); }
  void add(Waiter waiter) { waiters_.push_back(std::move(waiter)); }
  // The first one gets these, and waits no more.
  void serve_first(LeasedBatch batch);
  // Those whose deadline has come get `answer`.
  void end(Timestamp deadline, const Result<LeasedBatch>& answer);
  // All get the error.
  void fail(const Error& error);
  // When the first deadline comes; max() if nobody waits.
  Timestamp next_deadline() const;

  // A receive with a callback reads from the store before it goes on, until it says so or is cancelled.
  void begin_loading(std::uint64_t token) { loading_.insert(token); }
  bool is_loading(std::uint64_t token) const { return loading_.contains(token); }
  void end_loading(std::uint64_t token) { loading_.erase(token); }
  // The receive with this token waits and reads no more. It gets nothing.
  void cancel(std::uint64_t token);

  // What they wait for is not read before this, since a read failed.
  Timestamp load_after() const { return load_after_; }
  void put_off_loading(Timestamp until) { load_after_ = until; }

 private:
  std::list<Waiter> waiters_;
  std::set<std::uint64_t> loading_;  // tokens
  Timestamp load_after_{};
};

}  // namespace holdfast
