#include "schema/transport/mailbox.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace holdfast::transport {

bool Mailbox::post(Task task) {
  std::lock_guard lock(mutex_);
  if (io_ == nullptr) return false;
  posted_.push_back(kj::mv(task));
  if (posted_.size() == 1) {
    boost::asio::post(*io_, [self = shared_from_this()] { self->run_tasks(); });
  }
  return true;
}

void Mailbox::close() {
  std::vector<Task> unrun;
  std::lock_guard lock(mutex_);
  io_ = nullptr;
  unrun.swap(posted_);
}

void Mailbox::run_tasks() {
  {
    std::lock_guard lock(mutex_);
    running_.swap(posted_);
  }
  for (auto& task : running_) task();
  running_.clear();
}

}  // namespace holdfast::transport
