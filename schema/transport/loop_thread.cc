#include "schema/transport/loop_thread.h"

#include <optional>

namespace holdfast::transport {
namespace {

// KJ looks for I/O only when its queue is empty, or after this many events. With a larger number, HTTP,
// timers and other connections starve under load.
constexpr unsigned kEventsBetweenPolls = 200;

}  // namespace

class LoopThread::Calls : private kj::TaskSet::ErrorHandler {
 public:
  void add(kj::Promise<void> promise) { tasks_.add(kj::mv(promise)); }

 private:
  void taskFailed(kj::Exception&& exception) override { kj::throwFatalException(kj::mv(exception)); }
  kj::TaskSet tasks_{*this};
};

LoopThread::LoopThread() {
  std::promise<void> started;
  thread_ = std::thread([this, &started] { run(started); });
  try {
    started.get_future().get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

LoopThread::~LoopThread() {
  mailbox_->post([this] {
    role.assert_held();
    stop_->fulfill();
  });
  thread_.join();
}

void LoopThread::run(std::promise<void>& started) {
  role.assert_held();
  std::optional<EventPort> opened;
  try {
    opened.emplace();
  } catch (...) {
    return started.set_exception(std::current_exception());
  }
  EventPort& port = *opened;
  kj::EventLoop loop(port);
  port.serve(loop);
  kj::WaitScope scope(loop);
  scope.setBusyPollInterval(kEventsBetweenPolls);
  Calls calls;
  auto stop = kj::newPromiseAndFulfiller<void>();
  port_ = &port;
  calls_ = &calls;
  stop_ = stop.fulfiller.get();
  mailbox_ = port.mailbox();
  started.set_value();
  stop.promise.wait(scope);
  mailbox_->close();
}

std::future<void> LoopThread::start(kj::Function<kj::Promise<void>()> work) {
  auto done = std::make_shared<std::promise<void>>();
  auto result = done->get_future();
  auto task = [this, done, work = kj::mv(work)]() mutable {
    role.assert_held();
    auto succeeded = [done] { done->set_value(); };
    auto failed = [done](kj::Exception&& e) { done->set_exception(std::make_exception_ptr(kj::mv(e))); };
    calls_->add(kj::evalNow(work).then(kj::mv(succeeded), kj::mv(failed)));
  };
  mailbox_->post(kj::mv(task));
  return result;
}

void LoopThread::call(kj::Function<kj::Promise<void>()> work) { start(kj::mv(work)).get(); }

}  // namespace holdfast::transport
