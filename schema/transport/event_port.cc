#include "schema/transport/event_port.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace holdfast::transport {
namespace {

class TimerOp {
 public:
  TimerOp(kj::PromiseFulfiller<void>& fulfiller, boost::asio::io_context& io,
          std::chrono::steady_clock::duration delay)
      : waiting_(std::make_shared<bool>(true)), timer_(io, delay) {
    timer_.async_wait([waiting = waiting_, &fulfiller](const boost::system::error_code&) {
      if (*waiting) fulfiller.fulfill();
    });
  }
  ~TimerOp() { *waiting_ = false; }
  KJ_DISALLOW_COPY(TimerOp);

 private:
  std::shared_ptr<bool> waiting_;
  boost::asio::steady_timer timer_;
};

}  // namespace

EventPort::EventPort() : work_(io_.get_executor()), mailbox_(std::make_shared<Mailbox>(io_)) {
  // The first timer makes Asio open its descriptor for polling, so a lack of file descriptors shows here and
  // not later.
  const boost::asio::steady_timer first(io_);
}

kj::Promise<void> EventPort::after(std::chrono::steady_clock::duration delay) {
  return kj::newAdaptedPromise<void, TimerOp>(io_, delay);
}

bool EventPort::wait() {
  flush_corked();
  // A flush can arm events, which must not wait for I/O that may never come.
  if (!loop_->isRunnable()) io_.run_one();
  io_.poll();
  return woken_.exchange(false);
}

bool EventPort::poll() {
  flush_corked();
  io_.poll();
  return woken_.exchange(false);
}

void EventPort::wake() const {
  if (!woken_.exchange(true)) boost::asio::post(io_, [] {});
}

void EventPort::flush_corked() {
  flushing_.swap(corked_);
  for (auto& corked : flushing_) corked->flush();
  flushing_.clear();
}

}  // namespace holdfast::transport
