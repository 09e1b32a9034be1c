// Sends that gather: many callers' messages leave together, in few calls, from a buffer of bounded size.
// Works over any Broker.
//
//   auto sender = holdfast::BufferedSender::make(*client, {.queue = "orders"});
//   if (!sender) return report(sender.error());
//   auto sent = sender->send({.body = "42 widgets"});  // any thread
//   ...
//   if (auto result = sent.get(); !result) return report(result.error());  // else it is as durable as asked
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/broker.h"

namespace holdfast {

struct BufferedSenderOptions {
  std::string queue = {};
  std::optional<Durability> durability = {};  // default: the queue's

  // One batch is under way at a time, so messages arrive in the order of the sends. The next one leaves once
  // it has this many messages or bytes, or its oldest message has waited for `linger`.
  std::size_t batch_messages = 100;                // 1..limits::kBatchEntries
  std::size_t batch_bytes = 1 << 20;               // bodies and attributes; 1..limits::kBatchBytes
  Duration linger = std::chrono::milliseconds(1);  // 0..1 min

  // What is held here at most, until it is answered. Sends that do not fit wait; a message that is larger
  // than all of it waits until nothing else is held.
  std::size_t buffer_messages = 10'000;   // at least 1
  std::size_t buffer_bytes = 64U << 20U;  // bodies and attributes, at least 1

  // A batch that finds the broker out of reach or overloaded, or whose outcome is unknown, is sent again
  // under the same request id, with pauses that grow up to 5 s, until it was first sent this long ago, or one
  // more try could last until limits::kRequestWindow is over; one whose outcome was unknown once ends as
  // kOutcomeUnknown. 0..limits::kRequestWindow. A Client's calls try for ClientOptions::call_timeout each, or
  // for what is left of that window, if it is less (SendOptions::within).
  Duration give_up_after = std::chrono::minutes(2);

  const Clock* clock = nullptr;  // default: the machine's, which goes on while the machine sleeps
};

// A movable handle, shared by any number of threads.
class BufferedSender {
 public:
  // Gets the outcome of the one message, once, on the sender's thread; must not throw, nor call the sender.
  using Callback = std::function<void(Result<Sent>)>;

  // kInvalidArgument and kLimitExceeded for an option. The broker must outlive the sender.
  static Result<BufferedSender> make(Broker& broker, BufferedSenderOptions options);

  BufferedSender(BufferedSender&&) noexcept;
  BufferedSender& operator=(BufferedSender&&) noexcept;
  ~BufferedSender();  // closes

  // Waits for room. What the message itself is refused for, only it gets.
  std::future<Result<Sent>> send(Message message);
  void send(Message message, Callback done);
  // kOverloaded if there is no room, kClosed; then `done` is not called.
  Result<void> try_send(Message message, Callback done);

  // Has all so far leave now, and waits until they are answered and their callbacks have returned.
  void flush();

  // Flushes, and refuses sends with kClosed from then on; also those that wait for room. Safe to call twice.
  void close();

 private:
  class Impl;
  explicit BufferedSender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
