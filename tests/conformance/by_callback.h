// A client whose every verb goes through its operation of asio.h.
#pragma once

#include <boost/asio/use_future.hpp>

#include "holdfast/asio.h"
#include "holdfast/client.h"

namespace holdfast::testing {

// Returns the result of an operation that start(token) starts.
template <class Start>
auto result_of(Start start) {
  return start(boost::asio::use_future).get();
}

// Makes calls by async_call.
class CallMaker : public Broker {
 public:
  explicit CallMaker(Client& client) : broker_(client) {}

 protected:
  template <auto verb, class... Arguments>
  auto called(Arguments&&... arguments) {
    return result_of([&](auto token) {
      return async_call<verb>(broker_, owned(std::forward<Arguments>(arguments))..., token);
    });
  }

  Client& broker_;

 private:
  // A call holds its arguments until it ends, so what refers to memory of the caller is copied.
  template <class T>
  static T&& owned(T&& value) {
    return std::forward<T>(value);
  }
  static std::string owned(std::string_view text) { return std::string(text); }
  static std::vector<Receipt> owned(std::span<const Receipt> some) { return {some.begin(), some.end()}; }
};

// These call the verbs by async_call, in a class for each concern.
// NOLINTBEGIN(bugprone-macro-parentheses): a definition cannot be in parentheses
#define HOLDFAST_BY_CALL(verb, takes, defaults)                                    \
  detail::VerbAnswer<&Broker::verb> verb HOLDFAST_DEFINED_##takes(verb) override { \
    return called<&Broker::verb> HOLDFAST_PASSED_##takes(verb);                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
class QueuesByCall : public CallMaker {
 public:
  using CallMaker::CallMaker;
  HOLDFAST_QUEUE_VERBS(HOLDFAST_BY_CALL)
};
class MessagesByCall : public QueuesByCall {
 public:
  using QueuesByCall::QueuesByCall;
  HOLDFAST_MESSAGE_VERBS(HOLDFAST_BY_CALL)
};
class DeadLettersByCall : public MessagesByCall {
 public:
  using MessagesByCall::MessagesByCall;
  HOLDFAST_DEAD_LETTER_VERBS(HOLDFAST_BY_CALL)
};
// ByCall calls every verb by async_call.
class ByCall : public DeadLettersByCall {
 public:
  using DeadLettersByCall::DeadLettersByCall;
  Timestamp now() const override { return broker_.now(); }
  HOLDFAST_OPERATION_VERBS(HOLDFAST_BY_CALL)
};
#undef HOLDFAST_BY_CALL

// Calls the verbs that have an operation of their own by that operation.
class ByCallback final : public ByCall {
 public:
  using ByCall::ByCall;

  Result<Sent> send(std::string_view queue, Message message, SendOptions options) override {
    return result_of([&](auto token) {
      return async_send(broker_, std::string(queue), std::move(message), std::move(options), token);
    });
  }

  BatchResult<Sent> send_batch(std::string_view queue, std::vector<Message> messages,
                               SendOptions options) override {
    return result_of([&](auto token) {
      return async_send_batch(broker_, std::string(queue), std::move(messages), std::move(options), token);
    });
  }

  Result<Deliveries> receive(std::string_view queue, ReceiveOptions options) override {
    return result_of(
        [&](auto token) { return async_receive(broker_, std::string(queue), std::move(options), token); });
  }

  Result<void> ack(const Receipt& receipt, SettleOptions options) override {
    return result_of([&](auto token) { return async_ack(broker_, receipt, std::move(options), token); });
  }

  BatchResult<void> ack_batch(std::span<const Receipt> receipts, SettleOptions options) override {
    return result_of([&](auto token) {
      return async_ack_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()),
                             std::move(options), token);
    });
  }

  Result<void> extend(const Receipt& receipt, Duration lease, ExtendOptions options) override {
    return result_of(
        [&](auto token) { return async_extend(broker_, receipt, lease, std::move(options), token); });
  }

  BatchResult<void> extend_batch(std::span<const Receipt> receipts, Duration lease,
                                 ExtendOptions options) override {
    return result_of([&](auto token) {
      return async_extend_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()), lease,
                                std::move(options), token);
    });
  }

  Result<void> start(const Receipt& receipt) override {
    return result_of([&](auto token) { return async_start(broker_, receipt, token); });
  }

  BatchResult<void> start_batch(std::span<const Receipt> receipts) override {
    return result_of([&](auto token) {
      return async_start_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()), token);
    });
  }

  Result<void> release(const Receipt& receipt, ReleaseOptions options) override {
    return result_of([&](auto token) { return async_release(broker_, receipt, std::move(options), token); });
  }

  BatchResult<void> release_batch(std::span<const Receipt> receipts, ReleaseOptions options) override {
    return result_of([&](auto token) {
      return async_release_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()),
                                 std::move(options), token);
    });
  }

  Result<void> reject(const Receipt& receipt, Rejection rejection, SettleOptions options) override {
    return result_of([&](auto token) {
      return async_reject(broker_, receipt, std::move(rejection), std::move(options), token);
    });
  }

  BatchResult<void> reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                 SettleOptions options) override {
    return result_of([&](auto token) {
      return async_reject_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()), rejection,
                                std::move(options), token);
    });
  }

  Result<Redriven> redrive(std::string_view queue, RedriveOptions options) override {
    return result_of(
        [&](auto token) { return async_redrive(broker_, std::string(queue), std::move(options), token); });
  }
};

}  // namespace holdfast::testing
