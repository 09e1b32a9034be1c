// The verbs of an engine, or of a client, with Boost.Asio completion tokens. Only who includes this needs
// Boost.Asio (1.81 or later).
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
// Give options a name, as here: GCC 12 destroys what is braced within a co_await, such as {.wait = 20s},
// twice.
//
// Each operation completes once with a Result, posted to the token's associated executor, for which it keeps
// work outstanding. The engine or client must outlive it; closing that completes what is under way. What runs
// the executor must outlive the engine or client, whose threads post to it: it is declared first.
//
// A receive that waits can be cancelled through the token's cancellation slot, with any type of cancellation:
// it completes with an empty list, and deliveries that had been made by then are released, uncharged. An
// async_call that has not begun completes with kCancelled and has no effect; a redrive or park
// that runs ends its task, and completes with what had moved by then. The other operations ignore
// cancellation and complete as they do. With a client it is Client::cancel_call that says what becomes of
// what was sent already.
//
// The verbs on messages have operations here. Any other verb is called as async_call<&Broker::peek>(…), which
// is in asio_calls.h.
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

// The only answer of a batch of one.
template <class Token, class Start>
auto initiate_one(Token&& token, Start start) {
  return initiate<Result<void>>(std::forward<Token>(token), [start = std::move(start)](auto done) mutable {
    start([done](std::vector<Result<void>> results) { done(std::move(results.front())); });
  });
}

// A receive that may be cancelled: from its start to its handler's call.
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

  // On the executor, where cancellation comes from too: from here on the deliveries are the handler's.
  void finish(Result<Deliveries> received) {
    if (auto slot = operation_->cancellation_slot(); slot.is_connected()) slot.clear();
    if (!was_cancelled() || !received || received->empty()) return operation_->call(std::move(received));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : *received) receipts.push_back(delivery.receipt);
    broker_.async_release_batch(receipts, {.count = false},
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

// Completes with Result<std::vector<Result<Sent>>>.
template <AsyncBroker B, class Token>
auto async_send_batch(B& broker, std::string queue, std::vector<Message> messages, SendOptions options,
                      Token&& token) {
  return asio_detail::initiate<Result<std::vector<Result<Sent>>>>(
      std::forward<Token>(token), [&broker, queue = std::move(queue), messages = std::move(messages),
                                   options = std::move(options)](auto done) mutable {
        broker.async_send_batch(queue, std::move(messages), std::move(options), std::move(done));
      });
}

// Completes with Result<Sent>.
template <AsyncBroker B, class Token>
auto async_send(B& broker, std::string queue, Message message, SendOptions options, Token&& token) {
  return asio_detail::initiate<Result<Sent>>(
      std::forward<Token>(token), [&broker, queue = std::move(queue), message = std::move(message),
                                   options = std::move(options)](auto done) mutable {
        std::vector<Message> messages;
        messages.push_back(std::move(message));
        broker.async_send_batch(queue, std::move(messages), std::move(options),
                                [done](Result<std::vector<Result<Sent>>> results) {
                                  if (!results) return done(tl::unexpected(std::move(results).error()));
                                  done(std::move(results->front()));
                                });
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

// These complete with Result<void>; those on batches with std::vector<Result<void>>.
template <AsyncBroker B, class Token>
auto async_ack(B& broker, const Receipt& receipt, SettleOptions options, Token&& token) {
  return asio_detail::initiate_one(
      std::forward<Token>(token), [&broker, receipt, options = std::move(options)](auto done) mutable {
        broker.async_ack_batch({&receipt, 1}, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_ack_batch(B& broker, std::vector<Receipt> receipts, SettleOptions options, Token&& token) {
  return asio_detail::initiate<std::vector<Result<void>>>(
      std::forward<Token>(token),
      [&broker, receipts = std::move(receipts), options = std::move(options)](auto done) mutable {
        broker.async_ack_batch(receipts, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_extend(B& broker, const Receipt& receipt, Duration lease, ExtendOptions options, Token&& token) {
  return asio_detail::initiate_one(
      std::forward<Token>(token), [&broker, receipt, lease, options = std::move(options)](auto done) mutable {
        broker.async_extend_batch({&receipt, 1}, lease, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_release(B& broker, const Receipt& receipt, ReleaseOptions options, Token&& token) {
  return asio_detail::initiate_one(
      std::forward<Token>(token), [&broker, receipt, options = std::move(options)](auto done) mutable {
        broker.async_release_batch({&receipt, 1}, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_reject(B& broker, const Receipt& receipt, Rejection rejection, SettleOptions options,
                  Token&& token) {
  return asio_detail::initiate_one(
      std::forward<Token>(token),
      [&broker, receipt, rejection = std::move(rejection), options = std::move(options)](auto done) mutable {
        broker.async_reject_batch({&receipt, 1}, rejection, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_start(B& broker, const Receipt& receipt, Token&& token) {
  return asio_detail::initiate_one(std::forward<Token>(token), [&broker, receipt](auto done) {
    broker.async_start_batch({&receipt, 1}, std::move(done));
  });
}

template <AsyncBroker B, class Token>
auto async_extend_batch(B& broker, std::vector<Receipt> receipts, Duration lease, ExtendOptions options,
                        Token&& token) {
  return asio_detail::initiate<std::vector<Result<void>>>(
      std::forward<Token>(token),
      [&broker, receipts = std::move(receipts), lease, options = std::move(options)](auto done) mutable {
        broker.async_extend_batch(receipts, lease, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_start_batch(B& broker, std::vector<Receipt> receipts, Token&& token) {
  return asio_detail::initiate<std::vector<Result<void>>>(
      std::forward<Token>(token), [&broker, receipts = std::move(receipts)](auto done) {
        broker.async_start_batch(receipts, std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_release_batch(B& broker, std::vector<Receipt> receipts, ReleaseOptions options, Token&& token) {
  return asio_detail::initiate<std::vector<Result<void>>>(
      std::forward<Token>(token), [&broker, receipts = std::move(receipts), options](auto done) {
        broker.async_release_batch(receipts, options, std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_reject_batch(B& broker, std::vector<Receipt> receipts, Rejection rejection, SettleOptions options,
                        Token&& token) {
  return asio_detail::initiate<std::vector<Result<void>>>(
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
