// One subscription: its buffer, and the thread that empties it into the callback.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "holdfast/event.h"

namespace holdfast {

class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  Subscriber(EventFilter filter, EventCallback callback)
      : filter_(std::move(filter)), callback_(std::move(callback)) {}
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  void start();
  // Never blocks on the callback: what does not fit is counted, and told as kMissed where it was.
  void offer(const Event& event);
  // No more is offered: the thread ends when the buffer is empty.
  void finish();
  // Forgets the buffer and waits for the callback, unless this is its thread.
  void cancel();

 private:
  bool wants(const Event& event) const;
  void run();

  const EventFilter filter_;
  const EventCallback callback_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> buffer_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace holdfast
