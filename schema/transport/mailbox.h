// The way into a loop's thread from other threads.
#pragma once

#include <kj/function.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "engine/sync/mutex.h"
#include "engine/sync/thread_role.h"

namespace holdfast::transport {

// Hands tasks to a loop's thread. However many tasks are posted before that thread gets to them, it
// is woken once.
class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  // Must own nothing that is bound to an event loop, and must not throw.
  using Task = kj::Function<void()>;

  explicit Mailbox(boost::asio::io_context& io) : io_(&io) {}

  // From any thread. False, and the task is destroyed unrun, once the mailbox is closed.
  bool post(Task task);

  // On the loop's thread. Tasks that were not run yet are destroyed.
  void close();

 private:
  void run_tasks();

  sync::Mutex mutex_;
  boost::asio::io_context* io_ HOLDFAST_GUARDED_BY(mutex_);  // null: closed
  std::vector<Task> posted_ HOLDFAST_GUARDED_BY(mutex_);
  sync::ThreadRole role_;                                 // the loop's thread's
  std::vector<Task> running_ HOLDFAST_GUARDED_BY(role_);  // kept for its capacity
};

}  // namespace holdfast::transport
