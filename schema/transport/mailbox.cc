#include "schema/transport/mailbox.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace holdfast::transport {

bool Mailbox::post(Task task) {
  const sync::Lock lock(mutex_);
  if (io_ == nullptr) return false;
  posted_.push_back(kj::mv(task));
  if (posted_.size() == 1) {
    boost::asio::post(*io_, [self = shared_from_this()] { self->run_tasks(); });
  }
  return true;
}

void Mailbox::close() {
  role_.assert_held();
  std::vector<Task> unrun;
  const sync::Lock lock(mutex_);
  io_ = nullptr;
  unrun.swap(posted_);
}

void Mailbox::run_tasks() {
  role_.assert_held();
  {
    const sync::Lock lock(mutex_);
    running_.swap(posted_);
  }
  for (auto& task : running_) task();
  running_.clear();
}

}  // namespace holdfast::transport
