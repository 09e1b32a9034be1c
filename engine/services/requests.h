// Calls with a request id take effect once. What a call answered is written with its effect, and a
// repetition reads the answer instead of having an effect again. The rows lie in buckets by time, so that old
// rows are forgotten by removing a range. A row is remembered for the length of one to two buckets.
//
// The time of the buckets is the directory's lived time: what its engines have seen pass, and not the time of
// any clock. Lived time stands still while no engine has the directory open, because only the wall clock
// could say how long that lasts, and it may say anything. Apart from kLongestStep, it also stands still while
// the process stands still (SIGSTOP, a paused container, a suspended virtual machine), although the steady
// clock goes on. Meanwhile a repetition that a client sent in time may lie in a socket, or wait for a
// connection to the server that is started in place of this one. Lived time passes at most as much faster
// than true time as stored time does while it catches up with the wall clock (engine_clock.h), and buckets
// are longer by that much. So a row that is forgotten is as old as it has to be, and the rows that are kept
// were written in two buckets' length of lived time.
//
// Each call with an id looks at the time, and so does the engine's own thread, every second. Every look goes
// through one mutex, by which a call also gets its bucket. So however the process was stopped, even between
// reading a call and looking it up, the call finds what was remembered when its time stood still. An engine
// without a thread of its own sees time pass with its calls and with run_due(). If these are rarer than
// kLongestStep, it remembers for longer.
//
// Lived time is written with the rows if it has gone on since it was last written, and it goes on from there
// at the next opening. If a crash takes a part of it, rows are older than they seem, and are only kept for
// longer.
//
// One call at a time holds an id, from before it looks for an earlier answer until its own effect is
// committed. A call that finds its id held stands in line behind the holder, and the id passes from call to
// call without being free in between. A call with a callback leaves its continuation in the line, so no
// thread waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/codec/rows/request_row.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/services/request_filter.h"
#include "engine/sync/mutex.h"
#include "holdfast/time.h"

namespace holdfast {

class Requests;

// A HeldRequest is a call that holds its id, or one without an id, of which nothing is recorded. The object
// must live until the call's effect is committed: the id passes on when the last copy is destroyed.
class HeldRequest {
 public:
  // Stands for a call without an id.
  HeldRequest() = default;

  explicit operator bool() const { return held_ != nullptr; }

  // Returns whether the call is certain to be the first with its id, so that it needs nothing from disk. The
  // first call of is_new() or begin() decides which bucket remembers the call.
  bool is_new(Timestamp now) const;
  // Says what the call is about, as a hash. It is called before answered() and record().
  void begin(std::uint64_t content, Timestamp now) const;

  // Returns what this part of the call answered before, or nothing. A call has one part for each time that it
  // takes locks, and part 0 is asked for first. kInvalidArgument if the earlier call had other content. The
  // caller holds no lock.
  Result<std::optional<RequestRow>> answered(std::uint32_t part = 0) const HOLDFAST_EXCLUDES(inside_gate);

  // Returns whether an earlier call has left an answer under the id, whatever that call was about. The caller
  // holds no lock.
  Result<bool> is_known(Timestamp now) const HOLDFAST_EXCLUDES(inside_gate);

  // Records the answer of a part with the open group. The caller holds the locks under which the part had its
  // effect. If part 0 had no effect, a row that answers no entry is put in its place in the same write. So a
  // call that has other parts, and a caller that looks whether the id is in use, find the id.
  void record(std::uint32_t part, RequestRow row, Durability durability) const
      HOLDFAST_REQUIRES_SHARED(inside_gate);

 private:
  friend class Requests;
  struct Held;
  explicit HeldRequest(std::shared_ptr<Held> held) : held_(std::move(held)) {}
  // Returns the row of a part, or nothing. The call has its place.
  Result<std::optional<RequestRow>> find(std::uint32_t part) const HOLDFAST_EXCLUDES(inside_gate);
  std::shared_ptr<Held> held_;
};

class Requests {
 public:
  Requests(const Store& store, CommitPipeline& pipeline) : store_(store), pipeline_(pipeline) {}

  // A row ages by this much at most between two looks at the time.
  static constexpr Duration kLongestStep = std::chrono::seconds(10);

  // Continues lived time from where it was, when the engine opens.
  Result<void> recover(Timestamp now);

  // take(), try_take() and stand_in_line() make a call hold an id. An empty id stands for none.
  // kLimitExceeded if the id is too long. take() blocks while other calls hold the id or stand in line.
  Result<HeldRequest> take(const std::string& id) HOLDFAST_EXCLUDES(inside_gate);
  // Returns nothing if another call holds the id.
  Result<std::optional<HeldRequest>> try_take(const std::string& id);
  // Calls `turn`, once, when the call's turn has come: on this thread if no call holds the id, and otherwise
  // on the thread that lets it go. That may be a thread that commits, so `turn` must not block. It gets
  // kClosed if stop() comes first.
  using Turn = std::function<void(Result<HeldRequest>)>;
  void stand_in_line(const std::string& id, Turn turn);
  // Answers all calls in line with kClosed. No call may take an id any more.
  void stop();

  // Records, as of now, what a call has answered that no longer holds its id.
  void keep(const std::string& id, const RequestRow& row, Timestamp now, Durability durability)
      HOLDFAST_REQUIRES_SHARED(inside_gate);

  // Forgets the rows that are old enough. Returns the open group if there was anything to write.
  std::optional<GroupNumber> forget(Timestamp now) HOLDFAST_REQUIRES_SHARED(inside_gate);

 private:
  friend class HeldRequest;

  // Returns the last bucket that has rows, or 0 if there are none.
  Result<std::uint64_t> last_bucket() const;
  void look(Timestamp now) HOLDFAST_REQUIRES(mutex_);
  std::uint64_t bucket() const HOLDFAST_REQUIRES(mutex_);
  // Returns lived time, which the caller must write, if it has gone on by `at_least` since it was last
  // written.
  std::optional<Duration> unwritten(Duration at_least) HOLDFAST_REQUIRES(mutex_);

  // Writes lived time with the open group.
  GroupNumber write(Duration lived) HOLDFAST_REQUIRES_SHARED(inside_gate);
  HeldRequest held(const std::string& id);
  void pass_on(const std::string& id);
  struct RequestPlace {
    std::uint64_t bucket = 0;
    // An earlier call may have left an answer in this bucket or the one before.
    bool may_be_answered = false;
  };
  RequestPlace place(const std::string& id, Timestamp now);
  void record(const std::string& id, std::uint64_t bucket, std::uint32_t part, const RequestRow& row,
              Durability durability) HOLDFAST_REQUIRES_SHARED(inside_gate);

  const Store& store_;
  CommitPipeline& pipeline_;
  sync::Mutex mutex_;
  // `held_` has the calls that stand in line behind the holder of each id.
  std::unordered_map<std::string, std::list<Turn>> held_ HOLDFAST_GUARDED_BY(mutex_);
  RequestFilter filter_ HOLDFAST_GUARDED_BY(mutex_);
  Timestamp looked_at_ HOLDFAST_GUARDED_BY(mutex_){};  // the latest time that a look has seen
  Duration lived_ HOLDFAST_GUARDED_BY(mutex_){};       // lived time of the directory
  // `written_` is the part of `lived_` that is in the store or in a commit group.
  Duration written_ HOLDFAST_GUARDED_BY(mutex_){};
  // `oldest_` is the oldest bucket that may have rows, or nothing if there are none.
  std::optional<std::uint64_t> oldest_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t newest_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
