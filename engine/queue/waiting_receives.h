// WaitingReceives has the receives that wait for a queue's messages. A queue has one, under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <vector>

#include "engine/commit/commit_group.h"
#include "engine/core/lane_state.h"
#include "holdfast/error.h"
#include "holdfast/limits.h"
#include "holdfast/message.h"

namespace holdfast {

// One receive was granted these messages. They belong to it once `group` is committed.
struct LeasedBatch {
  std::vector<Grant> grants;
  LeaseTerms terms;
  ByteBudget budget{limits::kBatchBytes};
  GroupNumber group{};
};

// A Waiter is a receive that waits for messages.
struct Waiter {
  std::uint64_t token = 0;
  std::size_t max = 1;
  Duration lease{};
  std::shared_ptr<const Consumer> consumer;
  bool prefetch = false;
  Timestamp deadline{};
  // It is called once, under the queue's lock and inside a Pass: with messages; with none, when the wait is
  // over; or with an error, when the queue was deleted.
  std::function<void(Result<LeasedBatch>)> resolve;
};

class WaitingReceives {
 public:
  bool empty() const { return waiters_.empty(); }
  const Waiter& first() const { return waiters_.front(); }
  void add(Waiter waiter) { waiters_.push_back(std::move(waiter)); }
  // Gives these messages to the first receive, which then stops waiting.
  void serve_first(LeasedBatch batch);
  // Answers the receives whose deadline is `deadline` or earlier with `answer`.
  void end(Timestamp deadline, const Result<LeasedBatch>& answer);
  // Answers all receives with the error.
  void fail(const Error& error);
  // Returns the first deadline, or max() if no receive waits.
  Timestamp next_deadline() const;

  // These mark a receive with a callback that reads from the store before it goes on. end_loading() or
  // cancel() ends the mark.
  void begin_loading(std::uint64_t token) { loading_.insert(token); }
  bool is_loading(std::uint64_t token) const { return loading_.contains(token); }
  void end_loading(std::uint64_t token) { loading_.erase(token); }
  // Ends the wait or the reading of the receive with this token. It gets no messages.
  void cancel(std::uint64_t token);

  // After a read failed, the time before which receives do not read from the store again.
  Timestamp load_after() const { return load_after_; }
  void put_off_loading(Timestamp until) { load_after_ = until; }

 private:
  std::list<Waiter> waiters_;
  std::set<std::uint64_t> loading_;  // tokens of receives that read from the store
  Timestamp load_after_{};
};

}  // namespace holdfast
