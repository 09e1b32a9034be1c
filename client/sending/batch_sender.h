// BatchSender is the inside of a BufferedSender: a thread that sends the waiting messages, batch by batch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "client/common/clock_wait.h"
#include "client/common/random_backoff.h"
#include "client/common/request_ids.h"
#include "client/sending/send_buffer.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"

namespace holdfast::client {

class BatchSender {
 public:
  // Send makes one try, which is over within SendOptions::within: what has not left by then does not leave.
  using Send = std::function<BatchResult<Sent>(std::vector<Message>, const SendOptions&)>;

  // `seed` is for the random pauses between tries. Throws std::system_error if no thread can be had.
  BatchSender(Send send, BufferedSenderOptions options, std::uint64_t seed);
  ~BatchSender() { close(); }
  BatchSender(const BatchSender&) = delete;
  BatchSender& operator=(const BatchSender&) = delete;

  void add(Message message, BufferedSender::Callback done);
  Result<void> try_add(Message message, BufferedSender::Callback done);
  void flush();
  void close();

 private:
  void run();
  // Returns false at the end.
  bool wait_for_batch(sync::Lock& lock) HOLDFAST_REQUIRES(mutex_);
  // Sends until there is an answer or it is time to give up.
  BatchResult<Sent> deliver(const std::vector<Message>& messages);
  void pause(Duration pause);
  static void answer(const SendBatch& batch, const BatchResult<Sent>& answers);

  const Send send_;
  const BufferedSenderOptions options_;
  const ClockWait time_;
  RequestIds request_ids_;
  RandomBackoff backoff_;  // only for the thread

  sync::Mutex mutex_;
  sync::ConditionVariable leaving_;   // wakes the thread
  sync::ConditionVariable answered_;  // wakes callers
  SendBuffer buffer_ HOLDFAST_GUARDED_BY(mutex_){options_};
  bool closing_ HOLDFAST_GUARDED_BY(mutex_) = false;

  sync::Mutex joining_;
  std::thread thread_ HOLDFAST_GUARDED_BY(joining_);
};

}  // namespace holdfast::client
