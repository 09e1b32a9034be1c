// This header declares the verbs of an engine or a client with Boost.Asio completion tokens. This header
// needs Boost 1.81 or later.
//
//   boost::asio::awaitable<void> consume(holdfast::Engine& engine) {
//     using boost::asio::use_awaitable;
//     const holdfast::ReceiveOptions receive{.wait = 20s};
//     const holdfast::SettleOptions settle;
//     auto deliveries = co_await holdfast::async_receive(engine, "orders", receive, use_awaitable);
//     if (!deliveries) co_return report(deliveries.error());
//     for (auto& delivery : *deliveries) {
//       auto acked = co_await holdfast::async_ack(engine, delivery.receipt, settle, use_awaitable);
//     }
//   }
//
// Give options a name: GCC 12 destroys a braced temporary within a co_await, such as {.wait = 20s}, twice.
//
// Each operation completes once, with a Result that is posted to the token's associated executor. Until then
// it keeps work outstanding there. The engine or client must outlive the operation; closing it completes the
// operations under way. The execution context must outlive the engine or client, whose threads post to it.
//
// The token's cancellation slot cancels a receive that waits, with any type of cancellation: the receive
// completes with an empty list, and messages that it was already given are released, uncharged. An async_call
// (asio_calls.h, for all verbs that have no operation here) that has not begun completes with kCancelled and
// has no effect. A redrive or park that runs ends its task and completes with what it has moved. The other
// operations ignore cancellation. Client::cancel_call says what happens to a call that is sent already.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/asio_calls.h"
#include "holdfast/detail/asio_operation.h"
#include "holdfast/engine.h"

namespace holdfast {
namespace asio_detail {

// Starts a batch of one entry, and completes with the answer for that entry.
template <class T, class Token, class Start>
auto initiate_one(Token&& token, Start start) {
  return initiate<Result<T>>(std::forward<Token>(token), [start = std::move(start)](auto done) mutable {
    start([done](BatchResult<T> results) {
      if (!results) return done(tl::unexpected(std::move(results).error()));
      done(std::move(results->front()));
    });
  });
}

// A Receive may be cancelled. It lives from its start until its handler is called.
template <class B, class Handler>
class Receive : public std::enable_shared_from_this<Receive<B, Handler>> {
 public:
  Receive(B& broker, Handler handler)
      : broker_(broker),
        operation_(std::make_shared<Operation<Result<Deliveries>, Handler>>(std::move(handler))) {}

  void start(const std::string& queue, ReceiveOptions options) {
    if (auto slot = operation_->cancellation_slot(); slot.is_connected()) {
      slot.assign([weak = this->weak_from_this()](boost::asio::cancellation_type) {
        if (const auto self = weak.lock()) self->cancel();
      });
    }
    const auto token = broker_.async_receive(queue, std::move(options),
                                             [self = this->shared_from_this()](Result<Deliveries> received) {
                                               self->complete(std::move(received));
                                             });
    const std::scoped_lock lock(mutex_);
    token_ = token;
    if (cancelled_) broker_.cancel_receive(token);
  }

 private:
  void cancel() {
    const std::scoped_lock lock(mutex_);
    cancelled_ = true;
    if (token_) broker_.cancel_receive(*token_);
  }

  void complete(Result<Deliveries> received) {
    boost::asio::post(operation_->executor(),
                      [self = this->shared_from_this(), received = std::move(received)]() mutable {
                        self->finish(std::move(received));
                      });
  }

  // Runs on the executor. Cancellation comes from the executor too, so after this the deliveries belong to
  // the handler.
  void finish(Result<Deliveries> received) {
    if (auto slot = operation_->cancellation_slot(); slot.is_connected()) slot.clear();
    if (!was_cancelled() || !received || received->empty()) return operation_->call(std::move(received));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : *received) receipts.push_back(delivery.receipt);
    broker_.async_release_batch(receipts, {.charge = false},
                                [operation = operation_](auto&&) { operation->complete(Deliveries{}); });
  }

  bool was_cancelled() {
    const std::scoped_lock lock(mutex_);
    return cancelled_;
  }

  B& broker_;
  std::shared_ptr<Operation<Result<Deliveries>, Handler>> operation_;
  std::mutex mutex_;
  std::optional<typename B::ReceiveToken> token_;
  bool cancelled_ = false;
};

}  // namespace asio_detail

// Completes with BatchResult<Sent>.
template <AsyncBroker B, class Token>
auto async_send_batch(B& broker, std::string queue, std::vector<Message> messages, SendOptions options,
                      Token&& token) {
  return asio_detail::initiate<BatchResult<Sent>>(
      std::forward<Token>(token), [&broker, queue = std::move(queue), messages = std::move(messages),
                                   options = std::move(options)](auto done) mutable {
        broker.async_send_batch(queue, std::move(messages), std::move(options), std::move(done));
      });
}

// Completes with Result<Sent>.
template <AsyncBroker B, class Token>
auto async_send(B& broker, std::string queue, Message message, SendOptions options, Token&& token) {
  return asio_detail::initiate_one<Sent>(
      std::forward<Token>(token), [&broker, queue = std::move(queue), message = std::move(message),
                                   options = std::move(options)](auto done) mutable {
        std::vector<Message> messages;
        messages.push_back(std::move(message));
        broker.async_send_batch(queue, std::move(messages), std::move(options), std::move(done));
      });
}

// Completes with Result<Deliveries>.
template <AsyncBroker B, class Token>
auto async_receive(B& broker, std::string queue, ReceiveOptions options, Token&& token) {
  return boost::asio::async_initiate<Token, void(Result<Deliveries>)>(
      [&broker, queue = std::move(queue), options = std::move(options)](auto handler) mutable {
        using Handler = decltype(handler);
        const auto receive = std::make_shared<asio_detail::Receive<B, Handler>>(broker, std::move(handler));
        receive->start(queue, std::move(options));
      },
      token);
}

// These complete with Result<void> for one receipt, and with BatchResult<void> for a batch.
template <AsyncBroker B, class Token>
auto async_ack(B& broker, const Receipt& receipt, SettleOptions options, Token&& token) {
  return asio_detail::initiate_one<void>(
      std::forward<Token>(token), [&broker, receipt, options = std::move(options)](auto done) mutable {
        broker.async_ack_batch({&receipt, 1}, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_ack_batch(B& broker, std::vector<Receipt> receipts, SettleOptions options, Token&& token) {
  return asio_detail::initiate<BatchResult<void>>(
      std::forward<Token>(token),
      [&broker, receipts = std::move(receipts), options = std::move(options)](auto done) mutable {
        broker.async_ack_batch(receipts, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_extend(B& broker, const Receipt& receipt, Duration lease, ExtendOptions options, Token&& token) {
  return asio_detail::initiate_one<void>(
      std::forward<Token>(token), [&broker, receipt, lease, options = std::move(options)](auto done) mutable {
        broker.async_extend_batch({&receipt, 1}, lease, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_release(B& broker, const Receipt& receipt, ReleaseOptions options, Token&& token) {
  return asio_detail::initiate_one<void>(
      std::forward<Token>(token), [&broker, receipt, options = std::move(options)](auto done) mutable {
        broker.async_release_batch({&receipt, 1}, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_reject(B& broker, const Receipt& receipt, Rejection rejection, SettleOptions options,
                  Token&& token) {
  return asio_detail::initiate_one<void>(
      std::forward<Token>(token),
      [&broker, receipt, rejection = std::move(rejection), options = std::move(options)](auto done) mutable {
        broker.async_reject_batch({&receipt, 1}, rejection, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_start(B& broker, const Receipt& receipt, Token&& token) {
  return asio_detail::initiate_one<void>(std::forward<Token>(token), [&broker, receipt](auto done) {
    broker.async_start_batch({&receipt, 1}, std::move(done));
  });
}

template <AsyncBroker B, class Token>
auto async_extend_batch(B& broker, std::vector<Receipt> receipts, Duration lease, ExtendOptions options,
                        Token&& token) {
  return asio_detail::initiate<BatchResult<void>>(
      std::forward<Token>(token),
      [&broker, receipts = std::move(receipts), lease, options = std::move(options)](auto done) mutable {
        broker.async_extend_batch(receipts, lease, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_start_batch(B& broker, std::vector<Receipt> receipts, Token&& token) {
  return asio_detail::initiate<BatchResult<void>>(std::forward<Token>(token),
                                                  [&broker, receipts = std::move(receipts)](auto done) {
                                                    broker.async_start_batch(receipts, std::move(done));
                                                  });
}

template <AsyncBroker B, class Token>
auto async_release_batch(B& broker, std::vector<Receipt> receipts, ReleaseOptions options, Token&& token) {
  return asio_detail::initiate<BatchResult<void>>(
      std::forward<Token>(token), [&broker, receipts = std::move(receipts), options](auto done) {
        broker.async_release_batch(receipts, options, std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_reject_batch(B& broker, std::vector<Receipt> receipts, Rejection rejection, SettleOptions options,
                        Token&& token) {
  return asio_detail::initiate<BatchResult<void>>(
      std::forward<Token>(token), [&broker, receipts = std::move(receipts), rejection = std::move(rejection),
                                   options = std::move(options)](auto done) mutable {
        broker.async_reject_batch(receipts, rejection, std::move(options), std::move(done));
      });
}

// Completes with Result<Committed>.
template <class Token>
auto async_commit(Engine& engine, Transaction transaction, TransactionOptions options, Token&& token) {
  return asio_detail::initiate<Result<Committed>>(
      std::forward<Token>(token),
      [&engine, transaction = std::move(transaction), options = std::move(options)](auto done) mutable {
        engine.async_commit(std::move(transaction), std::move(options), std::move(done));
      });
}

}  // namespace holdfast
