// A sender with a buffer: it gathers the messages of many callers and sends them in few calls. It works over
// any Broker.
//
//   auto sender = holdfast::BufferedSender::make(*client, {.queue = "orders"});
//   if (!sender) return report(sender.error());
//   auto sent = sender->send({.body = "42 widgets"});  // any thread
//   ...
//   if (auto result = sent.get(); !result) return report(result.error());
//   // Here the message is as durable as asked.
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

  // A batch leaves once it has this many messages or this many bytes, or once its oldest message has waited
  // for `linger`. Bytes are those of bodies, attributes, groups and deduplication ids. One batch is under way
  // at a time, so messages arrive in the order of the sends.
  std::size_t batch_messages = 100;                // 1..limits::kBatchEntries
  std::size_t batch_bytes = 1 << 20;               // 1..limits::kBatchBytes
  Duration linger = std::chrono::milliseconds(1);  // 0..1 min

  // The buffer has this size, and holds messages until they are answered. A send that does not fit waits. A
  // message that is larger than the whole buffer waits until the buffer is empty.
  std::size_t buffer_messages = 10'000;   // at least 1
  std::size_t buffer_bytes = 64U << 20U;  // at least 1

  // A batch is tried for this long: 0..limits::kRequestWindow, counted from its first try. A batch is sent
  // again, under the same request id, if the broker is out of reach or overloaded or if the outcome is
  // unknown; the pauses in between grow up to 5 s. The sender also gives up when one more try could last
  // beyond limits::kRequestWindow, since the broker remembers the request id no longer than that. A batch
  // that had an unknown outcome once ends as kOutcomeUnknown. A try over a Client lasts at most
  // ClientOptions::call_timeout, or what is left of that window if it is less (SendOptions::within).
  Duration give_up_after = std::chrono::minutes(2);

  const Clock* clock = nullptr;  // default: a clock of the machine that goes on while the machine sleeps
};

// A BufferedSender is a movable handle. Any number of threads may use it at the same time.
class BufferedSender {
 public:
  // Gets the outcome of one message, once, on the sender's thread. It must not throw and must not call the
  // sender.
  using Callback = std::function<void(Result<Sent>)>;

  // Makes a sender. The broker must outlive it. kInvalidArgument or kLimitExceeded if an option is wrong.
  static Result<BufferedSender> make(Broker& broker, BufferedSenderOptions options);

  BufferedSender(BufferedSender&&) noexcept;
  BufferedSender& operator=(BufferedSender&&) noexcept;
  ~BufferedSender();  // calls close()

  // Puts a message into the buffer, and waits while there is no room. The outcome comes later, by the future
  // or the callback. An error in one message does not affect the others of its batch.
  std::future<Result<Sent>> send(Message message);
  void send(Message message, Callback done);
  // Puts a message into the buffer if there is room. kOverloaded if there is none, kClosed after close();
  // then `done` is not called.
  Result<void> try_send(Message message, Callback done);

  // Sends all messages that are in the buffer now, without waiting for `linger`. Returns once they are
  // answered and their callbacks have returned.
  void flush();

  // Flushes. From then on sends are refused with kClosed, also those that wait for room. May be called twice.
  void close();

 private:
  class Impl;
  explicit BufferedSender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
