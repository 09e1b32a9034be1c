// Calls with a request id: their effect is there once. What a call answered is written with its effect, and a
// repetition reads it instead of having an effect again. The rows lie in buckets by time, so that forgetting
// old ones is removing a range; a row is remembered for one to two buckets' length.
//
// That time is the directory's lived time: what its engines have seen pass, and no clock's. It stands still
// while no engine has the directory open, for only the wall clock could say how long that lasts, and it may
// say anything. It stands still, but for kLongestStep, while the process stands still (SIGSTOP, a container
// that is paused, a virtual machine that is suspended), though the steady clock goes on: a repetition that a
// client has sent in time lies in a socket meanwhile, or waits for a connection to the server that is started
// in place of this one. So lived time never passes faster than time in truth, and a row that is forgotten is
// as old as it has to be; and what is kept is what was written in two buckets' length of lived time.
//
// Each call with an id looks at the time, and so does the engine's own thread, every second. Every look goes
// through one mutex, the one by which a call gets its bucket: so however the process was stopped, also
// between reading a call and looking it up, the call finds what was remembered when its time stood still. An
// engine without a thread of its own sees time pass with its calls and with run_due(): where these are rarer
// than kLongestStep, it remembers for longer.
//
// Lived time is written with the rows, where it has gone on since it last was, and goes on from there at the
// next opening. What a crash takes of it makes rows older than they seem, which only keeps them for longer.
//
// One call at a time holds an id, from before it looks for an earlier answer until its own effect is
// committed. Who finds an id held stands in line behind the holder, and the id passes from call to call
// without being free in between. A call with a callback leaves its continuation in the line, so that no
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

// A call that holds its id; or a call without one, of which nothing is recorded. It must live until the
// call's effect is committed: the id passes on when the last copy is gone.
class HeldRequest {
 public:
  // Of a call without an id.
  HeldRequest() = default;

  explicit operator bool() const { return held_ != nullptr; }

  // Whether the call is certain to be the first under its id, so that it needs nothing from disk. Which
  // bucket remembers the call is fixed by the first of is_new() and begin().
  bool is_new(Timestamp now) const;
  // To be called before the rest: what the call is about, as a hash.
  void begin(std::uint64_t content, Timestamp now) const;

  // Without locks: what this part of the call has answered before. kInvalidArgument if that call's content
  // was another. A call has one part for each time that it takes locks; part 0 is asked for first.
  Result<std::optional<RequestRow>> answered(std::uint32_t part = 0) const;

  // Holding a Pass, and the locks under which the part had its effect. Where part 0 had none, a row that
  // answers no entry stands in its place, in the same write: so a call whose parts are others, or who looks
  // whether the id is in use, finds it.
  void record(std::uint32_t part, RequestRow row, Durability durability) const;

 private:
  friend class Requests;
  struct Held;
  explicit HeldRequest(std::shared_ptr<Held> held) : held_(std::move(held)) {}
  std::shared_ptr<Held> held_;
};

class Requests {
 public:
  Requests(const Store& store, CommitPipeline& pipeline) : store_(store), pipeline_(pipeline) {}

  // How much a row ages at most between two looks at the time.
  static constexpr Duration kLongestStep = std::chrono::seconds(10);

  // Opening: lived time goes on from where it was.
  Result<void> recover(Timestamp now);

  // The three ways to hold an id; the empty one is none. kLimitExceeded for its length.
  // Blocks while other calls hold the id or are in line.
  Result<HeldRequest> take(const std::string& id);
  // Nothing if another call holds it.
  Result<std::optional<HeldRequest>> try_take(const std::string& id);
  // Calls `turn`, once, when the call's turn has come: on this thread if no call holds the id, else on the
  // thread that lets it go, which may be one that commits; so it must not block. kClosed after stop().
  using Turn = std::function<void(Result<HeldRequest>)>;
  void stand_in_line(const std::string& id, Turn turn);
  // All that are in line get kClosed. Nobody takes an id any more.
  void stop();

  // Holding a Pass: records what a call has answered that holds its id no more, as of now.
  void keep(const std::string& id, const RequestRow& row, Timestamp now, Durability durability);

  // Holding a Pass: forgets what is old enough. Gives the group if there was anything to write.
  std::optional<GroupNumber> forget(Timestamp now);

 private:
  friend class HeldRequest;

  // The last that has rows; 0 if there are none.
  Result<std::uint64_t> last_bucket() const;
  void look(Timestamp now) HOLDFAST_REQUIRES(mutex_);
  std::uint64_t bucket() const HOLDFAST_REQUIRES(mutex_);
  // Lived time, if it has gone on by so much since it was last written, and is to be written now.
  std::optional<Duration> unwritten(Duration at_least) HOLDFAST_REQUIRES(mutex_);

  // Holding a Pass.
  GroupNumber write(Duration lived);
  HeldRequest held(const std::string& id);
  void pass_on(const std::string& id);
  struct RequestPlace {
    std::uint64_t bucket = 0;
    // There may be an answer of an earlier call, in this bucket or the one before.
    bool may_be_answered = false;
  };
  RequestPlace place(const std::string& id, Timestamp now);
  void record(const std::string& id, std::uint64_t bucket, std::uint32_t part, const RequestRow& row,
              Durability durability);

  const Store& store_;
  CommitPipeline& pipeline_;
  sync::Mutex mutex_;
  // By id: the calls that stand in line behind its holder.
  std::unordered_map<std::string, std::list<Turn>> held_ HOLDFAST_GUARDED_BY(mutex_);
  RequestFilter filter_ HOLDFAST_GUARDED_BY(mutex_);
  Timestamp looked_at_ HOLDFAST_GUARDED_BY(mutex_){};  // the latest time that a look has seen
  Duration lived_ HOLDFAST_GUARDED_BY(mutex_){};       // of the directory, by all of its engines
  // As much of it as is in the store, or in a group before this one.
  Duration written_ HOLDFAST_GUARDED_BY(mutex_){};
  // The oldest bucket that may have rows; nothing if there are none.
  std::optional<std::uint64_t> oldest_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t newest_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
