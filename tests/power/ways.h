// The ways to call a broker: blocking, with a callback, or with a completion token.
#pragma once

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/asio.h"
#include "holdfast/transaction.h"

namespace holdfast::testing {

// A way to call a broker. `done` is called once, on any thread.
class Way {
 public:
  using Sends = BatchCallback<Sent>;
  using Receives = Callback<Deliveries>;
  using Settles = BatchCallback<void>;
  using Commits = Callback<Committed>;
  using Receipts = std::vector<Receipt>;

  virtual ~Way() = default;
  virtual void send(const std::string& queue, std::vector<Message> messages, const SendOptions& options,
                    Sends done) = 0;
  virtual void receive(const std::string& queue, const ReceiveOptions& options, Receives done) = 0;
  virtual void ack(const Receipts& receipts, const SettleOptions& options, Settles done) = 0;
  virtual void extend(const Receipts& receipts, Duration lease, Settles done) = 0;
  virtual void start(const Receipts& receipts, Settles done) = 0;
  virtual void release(const Receipts& receipts, const ReleaseOptions& options, Settles done) = 0;
  virtual void reject(const Receipts& receipts, const Rejection& rejection, const SettleOptions& options,
                      Settles done) = 0;
  // Returns false if the broker has no transactions, which only an engine has.
  virtual bool commit(const Transaction& transaction, const TransactionOptions& options, Commits done) = 0;
};

template <class B>
constexpr bool kHasTransactions = std::is_same_v<B, Engine>;

template <class B>
class Blocking final : public Way {
 public:
  explicit Blocking(B& broker) : broker_(broker) {}

  void send(const std::string& queue, std::vector<Message> messages, const SendOptions& options,
            Sends done) override {
    done(broker_.send_batch(queue, std::move(messages), options));
  }
  void receive(const std::string& queue, const ReceiveOptions& options, Receives done) override {
    done(broker_.receive(queue, options));
  }
  void ack(const Receipts& receipts, const SettleOptions& options, Settles done) override {
    done(broker_.ack_batch(receipts, options));
  }
  void extend(const Receipts& receipts, Duration lease, Settles done) override {
    done(broker_.extend_batch(receipts, lease));
  }
  void start(const Receipts& receipts, Settles done) override { done(broker_.start_batch(receipts)); }
  void release(const Receipts& receipts, const ReleaseOptions& options, Settles done) override {
    done(broker_.release_batch(receipts, options));
  }
  void reject(const Receipts& receipts, const Rejection& rejection, const SettleOptions& options,
              Settles done) override {
    done(broker_.reject_batch(receipts, rejection, options));
  }
  bool commit(const Transaction& transaction, const TransactionOptions& options, Commits done) override {
    if constexpr (kHasTransactions<B>) done(broker_.commit(transaction, options));
    return kHasTransactions<B>;
  }

 private:
  B& broker_;
};

template <class B>
class ByCallback final : public Way {
 public:
  explicit ByCallback(B& broker) : broker_(broker) {}

  void send(const std::string& queue, std::vector<Message> messages, const SendOptions& options,
            Sends done) override {
    broker_.async_send_batch(queue, std::move(messages), options, std::move(done));
  }
  void receive(const std::string& queue, const ReceiveOptions& options, Receives done) override {
    (void)broker_.async_receive(queue, options, std::move(done));
  }
  void ack(const Receipts& receipts, const SettleOptions& options, Settles done) override {
    broker_.async_ack_batch(receipts, options, std::move(done));
  }
  void extend(const Receipts& receipts, Duration lease, Settles done) override {
    broker_.async_extend_batch(receipts, lease, {}, std::move(done));
  }
  void start(const Receipts& receipts, Settles done) override {
    broker_.async_start_batch(receipts, std::move(done));
  }
  void release(const Receipts& receipts, const ReleaseOptions& options, Settles done) override {
    broker_.async_release_batch(receipts, options, std::move(done));
  }
  void reject(const Receipts& receipts, const Rejection& rejection, const SettleOptions& options,
              Settles done) override {
    broker_.async_reject_batch(receipts, rejection, options, std::move(done));
  }
  bool commit(const Transaction& transaction, const TransactionOptions& options, Commits done) override {
    if constexpr (kHasTransactions<B>) broker_.async_commit(transaction, options, std::move(done));
    return kHasTransactions<B>;
  }

 private:
  B& broker_;
};

// `done` runs where the context runs.
template <class B>
class OnExecutor final : public Way {
 public:
  OnExecutor(B& broker, boost::asio::io_context& context) : broker_(broker), context_(context) {}

  void send(const std::string& queue, std::vector<Message> messages, const SendOptions& options,
            Sends done) override {
    async_send_batch(broker_, queue, std::move(messages), options, bind(std::move(done)));
  }
  void receive(const std::string& queue, const ReceiveOptions& options, Receives done) override {
    async_receive(broker_, queue, options, bind(std::move(done)));
  }
  void ack(const Receipts& receipts, const SettleOptions& options, Settles done) override {
    async_ack_batch(broker_, receipts, options, bind(std::move(done)));
  }
  void extend(const Receipts& receipts, Duration lease, Settles done) override {
    async_extend_batch(broker_, receipts, lease, {}, bind(std::move(done)));
  }
  void start(const Receipts& receipts, Settles done) override {
    async_start_batch(broker_, receipts, bind(std::move(done)));
  }
  void release(const Receipts& receipts, const ReleaseOptions& options, Settles done) override {
    async_release_batch(broker_, receipts, options, bind(std::move(done)));
  }
  void reject(const Receipts& receipts, const Rejection& rejection, const SettleOptions& options,
              Settles done) override {
    async_reject_batch(broker_, receipts, rejection, options, bind(std::move(done)));
  }
  bool commit(const Transaction& transaction, const TransactionOptions& options, Commits done) override {
    if constexpr (kHasTransactions<B>) async_commit(broker_, transaction, options, bind(std::move(done)));
    return kHasTransactions<B>;
  }

 private:
  template <class Done>
  auto bind(Done done) {
    return boost::asio::bind_executor(context_, std::move(done));
  }

  B& broker_;
  boost::asio::io_context& context_;
};

}  // namespace holdfast::testing
