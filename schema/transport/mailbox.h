// Carries tasks from other threads into a loop's thread.
#pragma once

#include <kj/function.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "engine/sync/mutex.h"
#include "engine/sync/thread_role.h"

namespace holdfast::transport {

// However many tasks are posted before the loop's thread gets to them, it is woken once.
class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  // A task must own nothing that is bound to an event loop, and must not throw.
  using Task = kj::Function<void()>;

  explicit Mailbox(boost::asio::io_context& io) : io_(&io) {}

  // Posts a task. Thread-safe. Once the mailbox is closed it returns false, and the task is destroyed without
  // being run.
  bool post(Task task);

  // Destroys the tasks that were not run yet. Called on the loop's thread.
  void close();

 private:
  void run_tasks();

  sync::Mutex mutex_;
  boost::asio::io_context* io_ HOLDFAST_GUARDED_BY(mutex_);  // null once closed
  std::vector<Task> posted_ HOLDFAST_GUARDED_BY(mutex_);
  sync::ThreadRole role_;                                 // the role of the loop's thread
  std::vector<Task> running_ HOLDFAST_GUARDED_BY(role_);  // kept for its capacity
};

}  // namespace holdfast::transport
