// Calls with a request id: their effect is there once. What a call answered is written with its effect, and a
// repetition reads it instead of having an effect again. The rows lie in buckets by time, so that forgetting
// old ones is removing a range; a row is remembered for one to two buckets' length. All times are stored time
// (engine_clock.h), so no step of the wall clock shortens or lengthens that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "codec/request_row.h"
#include "commit/commit_pipeline.h"
#include "holdfast/time.h"
#include "runtime/request_filter.h"
#include "sync/condition_variable.h"
#include "sync/mutex.h"

namespace holdfast {

class Requests {
 public:
  Requests(const Store& store, CommitPipeline& pipeline) : store_(store), pipeline_(pipeline) {}

  // Opening: whether there are rows to forget one day, or of a clock that has been set back since.
  Result<void> recover(Timestamp now);

  // Whether a call under this id is certain to be the first, so that it needs nothing from disk. None needs
  // the empty id.
  bool is_new(const std::string& id, Timestamp now);

  // Holding a Pass: forgets what is old enough. Gives the group if there was anything.
  std::optional<GroupNumber> forget(Timestamp now);

 private:
  friend class Request;

  std::uint64_t bucket(Timestamp time) const;
  Result<void> find_later(std::uint64_t current);
  // Blocks while another call with this id is under way. True: there may be an answer of an earlier one.
  bool reserve(const std::string& id, std::uint64_t bucket);
  void release(const std::string& id);
  void note(std::uint64_t bucket);

  const Store& store_;
  CommitPipeline& pipeline_;
  // Buckets with rows whose time was still to come when the engine was opened: the clock was set back. What
  // they remember holds all the same. Fixed after the opening.
  std::vector<std::uint64_t> later_;
  sync::Mutex mutex_;
  sync::ConditionVariable released_;
  std::unordered_set<std::string> under_way_;
  RequestFilter filter_;
  std::optional<std::uint64_t> oldest_;  // bucket that may have rows; none if there are none
  std::uint64_t newest_ = 0;
};

// One call on its way. It must live until the call's effect is committed.
class Request {
 public:
  // Of a call without an id: nothing is recorded.
  Request() = default;
  // Blocks while another call with the id is under way. An empty id is none. kLimitExceeded for its length.
  static Result<Request> begin(Requests& requests, const std::string& id, std::uint64_t content,
                               Timestamp now);

  explicit operator bool() const { return held_ != nullptr; }

  // Without locks: what this part of the call has answered before. kInvalidArgument if that call's content
  // was another. A call has one part for each time that it takes locks.
  Result<std::optional<RequestRow>> answered(std::uint32_t part = 0) const;

  // Holding a Pass, and the locks under which the part had its effect.
  void record(std::uint32_t part, RequestRow row, Durability durability) const;

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

}  // namespace holdfast
