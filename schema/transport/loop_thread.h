// LoopThread is a thread that runs Asio and KJ together.
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
  // Starts the thread. Throws a std::exception if no thread or file descriptor can be had.
  LoopThread();
  // Stops the thread. Everything that belongs to the loop must be gone by then (see call()).
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  // The role of the loop's thread. The thread has it before its first task.
  sync::ThreadRole role;

  EventPort& port() HOLDFAST_REQUIRES(role) { return *port_; }

  // The mailbox takes work from any thread. It outlives the thread.
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  // Runs `work` on the loop's thread. The future is ready when the promise of `work` is fulfilled, or has the
  // exception that it was rejected with.
  std::future<void> start(kj::Function<kj::Promise<void>()> work);

  // Does the same and waits for the future, whose exception it throws. Must not be called on the loop's
  // thread.
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
