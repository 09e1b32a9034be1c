// Calls with a request id: their effect is there once. What a call answered is written with its effect, and a
// repetition reads it instead of having an effect again. The rows lie in buckets by time, so that forgetting
// old ones is removing a range; a row is remembered for one to two buckets' length. All times are stored time
// (engine_clock.h), so no step of the wall clock shortens or lengthens that.
//
// While no engine has the directory open, only the wall clock could say how much time passes, and at the next
// opening it may say anything. So rows do not age then: buckets count stored time less what lies between the
// lives of the directory's engines. At least as much time has passed in truth, so a row that is forgotten is
// as old as it has to be; and what is kept is what was written in two buckets' length of open time, however
// often the directory is opened.
//
// Nor does a row age by more than a moment while the process stands still (SIGSTOP, a container that is
// paused, a virtual machine that is suspended), though the steady clock goes on: a repetition that a client
// has sent in time lies in a socket meanwhile, and is read late. An engine that has its own thread looks at
// the time every second, from that thread and with each call; of what passes between two looks no more than
// kLongestStep counts as lived time. Every look goes through one mutex, the one by which a call gets its
// buckets: so however the process was stopped, also between reading a call and looking it up, the call finds
// what was remembered when its time stood still. The buckets that would be forgotten by then are kept beside
// those of the present, for as much lived time as any. They are known in memory alone: a process that ends
// takes its sockets with it, and with them what was sent and not read.
//
// One call at a time holds an id, from before it looks for an earlier answer until its own effect is
// committed. Who finds an id held stands in line behind the holder, and the id passes from call to call
// without being free in between. A call with a callback leaves its continuation in the line, so that no
// thread waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  // was another. A call has one part for each time that it takes locks.
  Result<std::optional<RequestRow>> answered(std::uint32_t part = 0) const;

  // Holding a Pass, and the locks under which the part had its effect.
  void record(std::uint32_t part, RequestRow row, Durability durability) const;

 private:
  friend class Requests;
  struct Held;
  explicit HeldRequest(std::shared_ptr<Held> held) : held_(std::move(held)) {}
  std::shared_ptr<Held> held_;
};

class Requests {
 public:
  // `is_watched`: somebody calls forget() every second, so that time in which nobody does is time in which
  // the process stood still. Without, as where a test moves the clock, all time is lived.
  Requests(const Store& store, CommitPipeline& pipeline, bool is_watched)
      : store_(store), pipeline_(pipeline), is_watched_(is_watched) {}

  // How much a row ages at most between two looks at the time.
  static constexpr Duration kLongestStep = std::chrono::seconds(10);

  // Opening: goes on with the buckets from where they were. `began_after` is the clock's. `between_lives`, of
  // stored time, is as of the opening before; gives what it is from now on.
  Result<Duration> recover(Timestamp now, Timestamp began_after, Duration between_lives);

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

  // Holding a Pass: forgets what is old enough. Gives the group if there was anything.
  std::optional<GroupNumber> forget(Timestamp now);

 private:
  friend class HeldRequest;

  // The last that has rows; 0 if there are none.
  Result<std::uint64_t> last_bucket() const;
  std::uint64_t bucket(Timestamp now) const;
  void look(Timestamp now) HOLDFAST_REQUIRES(mutex_);
  HeldRequest held(const std::string& id);
  void pass_on(const std::string& id);
  struct RequestPlace {
    std::uint64_t bucket = 0;
    bool may_be_answered = false;             // there may be an answer of an earlier call
    std::vector<std::uint64_t> earlier = {};  // buckets to look into, beside this one and the one before
  };
  RequestPlace place(const std::string& id, Timestamp now);
  void record(const std::string& id, std::uint64_t bucket, std::uint32_t part, const RequestRow& row,
              Durability durability);

  const Store& store_;
  CommitPipeline& pipeline_;
  const bool is_watched_;
  Duration between_lives_{};  // fixed after the opening
  sync::Mutex mutex_;
  std::unordered_map<std::string, std::list<Turn>> held_
      HOLDFAST_GUARDED_BY(mutex_);  // by id: who is in line behind its holder
  RequestFilter filter_ HOLDFAST_GUARDED_BY(mutex_);
  Timestamp looked_at_ HOLDFAST_GUARDED_BY(mutex_){};  // the latest time that a look has seen
  Duration lived_ HOLDFAST_GUARDED_BY(mutex_){};       // since the opening
  std::map<std::uint64_t, Duration> kept_
      HOLDFAST_GUARDED_BY(mutex_);  // buckets of before a standstill; until that much has been lived
  std::uint64_t latest_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // the last bucket that a call was placed in
  std::optional<std::uint64_t> oldest_
      HOLDFAST_GUARDED_BY(mutex_);  // bucket that may have rows; none if there are none
  std::uint64_t newest_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
