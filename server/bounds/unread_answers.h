// Bounds the memory for answers that clients of HTTP have not read yet.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>

#include "engine/sync/mutex.h"
#include "server/options/server_options.h"

namespace holdfast::server {

// UnreadAnswers has the answers of all connections. Thread-safe. It must outlive the connections' rooms.
class UnreadAnswers {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // A Room is for the answer of one connection, which counts until it is sent.
  class Room {
   public:
    explicit Room(UnreadAnswers& answers) : answers_(answers) {}
    ~Room() { release(); }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    // Sets what is called when the room goes to other connections; it must have the connection closed, if
    // is_lost() is still true by then. `leave` runs on any thread, and must not block.
    void on_loss(std::function<void()> leave);

    // An answer of `bytes` is to be sent, in place of the one before.
    void hold(std::size_t bytes, Time now);
    // The client has taken a part of the answer.
    void moved(Time now);
    // The answer is sent.
    void release();

    // Returns whether the room of the answer that is being sent has gone to other connections.
    bool is_lost() const;

   private:
    friend class UnreadAnswers;
    enum class State : std::uint8_t { kEmpty, kHeld, kLost };

    void leave_the_held(State state) HOLDFAST_REQUIRES(answers_.mutex_);

    UnreadAnswers& answers_;
    std::function<void()> leave_ HOLDFAST_GUARDED_BY(answers_.mutex_);
    State state_ HOLDFAST_GUARDED_BY(answers_.mutex_) = State::kEmpty;
    // These members are valid while the room is held.
    std::list<Room*>::iterator place_ HOLDFAST_GUARDED_BY(answers_.mutex_);
    std::size_t bytes_ HOLDFAST_GUARDED_BY(answers_.mutex_) = 0;
    Time moved_ HOLDFAST_GUARDED_BY(answers_.mutex_);
  };

  // Returns whether another answer of `bytes` may be made. If ServerLimits::max_total_send_bytes leaves no
  // place for it, connections whose clients have taken nothing for ServerLimits::give_way_timeout lose their
  // room, the one that has stood still for the longest first, as many as are needed. If all of them together
  // do not suffice, none loses its room. The memory itself is free when the connections have been closed.
  bool admit(std::size_t bytes, const ServerLimits& limits, Time now);

 private:
  mutable sync::Mutex mutex_;
  // `held_` has the rooms that are held. The one whose client has taken nothing for the longest is in front.
  std::list<Room*> held_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t bytes_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::server
