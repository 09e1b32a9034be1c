// A thread that runs Asio and KJ together.
#pragma once

#include <kj/async.h>

#include <thread>

#include "schema/transport/event_port.h"

namespace holdfast::transport {

class LoopThread {
 public:
  // Starts the thread. Throws a std::exception if there is no thread or file descriptor to be had.
  LoopThread();
  // Stops it. Whatever belongs to the loop must be gone by then (see call()).
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  // For use on the loop's thread only.
  EventPort& port() { return *port_; }

  // Hands work over from any thread; lives longer than the thread.
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  // Runs `work` on the loop's thread and blocks until its promise is done. Throws what the promise was
  // rejected with. Not to be called on the loop's thread.
  void call(kj::Function<kj::Promise<void>()> work);

 private:
  class Calls;

  EventPort* port_ = nullptr;
  Calls* calls_ = nullptr;
  kj::PromiseFulfiller<void>* stop_ = nullptr;
  std::shared_ptr<Mailbox> mailbox_;
  std::thread thread_;
};

}  // namespace holdfast::transport
