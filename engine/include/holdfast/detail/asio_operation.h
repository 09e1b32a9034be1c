// The operations of asio.h share this header. It is an implementation detail: do not include it.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

namespace holdfast {

// The operations work with an AsyncBroker: an Engine, or a Client (client.h).
template <class B>
concept AsyncBroker = requires {
  typename B::CallToken;
  typename B::ReceiveToken;
};

}  // namespace holdfast

namespace holdfast::asio_detail {

// Holds a handler until it is called. Operations are shared, since the engine copies its callbacks.
template <class Value, class Handler>
class Operation : public std::enable_shared_from_this<Operation<Value, Handler>> {
 public:
  explicit Operation(Handler handler)
      : handler_(std::move(handler)), work_(boost::asio::make_work_guard(handler_)) {}

  // Posts the value to the handler. May be called on any thread, and only once.
  void complete(Value value) {
    boost::asio::post(work_.get_executor(),
                      [self = this->shared_from_this(), value = std::move(value)]() mutable {
                        self->call(std::move(value));
                      });
  }

  auto executor() const { return work_.get_executor(); }
  auto cancellation_slot() { return boost::asio::get_associated_cancellation_slot(handler_); }

  // Calls the handler. Runs on the executor.
  void call(Value value) {
    auto handler = std::move(handler_);
    work_.reset();
    std::move(handler)(std::move(value));
  }

 private:
  Handler handler_;
  decltype(boost::asio::make_work_guard(std::declval<Handler&>())) work_;
};

// Starts an operation by calling `start(done)`, which passes `done` to the engine as its callback.
template <class Value, class Token, class Start>
auto initiate(Token&& token, Start start) {
  return boost::asio::async_initiate<Token, void(Value)>(
      [start = std::move(start)](auto handler) mutable {
        using Handler = decltype(handler);
        auto operation = std::make_shared<Operation<Value, Handler>>(std::move(handler));
        start([operation](Value value) { operation->complete(std::move(value)); });
      },
      token);
}

}  // namespace holdfast::asio_detail
