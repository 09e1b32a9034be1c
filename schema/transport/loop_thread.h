// A thread that runs Asio and KJ together.
#pragma once

#include <kj/async.h>

#include <future>
#include <memory>
#include <thread>

#include "engine/sync/thread_role.h"
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

  // The loop's thread has it, from before the first task on.
  sync::ThreadRole role;

  EventPort& port() HOLDFAST_REQUIRES(role) { return *port_; }

  // Hands work over from any thread; lives longer than the thread.
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  // Runs `work` on the loop's thread and blocks until its promise is done. Throws what the promise was
  // rejected with. Not to be called on the loop's thread.
  void call(kj::Function<kj::Promise<void>()> work);

 private:
  class Calls;

  void run(std::promise<void>& started);

  EventPort* port_ HOLDFAST_GUARDED_BY(role) = nullptr;
  Calls* calls_ HOLDFAST_GUARDED_BY(role) = nullptr;
  kj::PromiseFulfiller<void>* stop_ HOLDFAST_GUARDED_BY(role) = nullptr;
  std::shared_ptr<Mailbox> mailbox_;
  std::thread thread_;
};

}  // namespace holdfast::transport
