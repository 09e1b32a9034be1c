// Messages that wait to be sent together. Pure: time comes from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "holdfast/buffered_sender.h"

namespace holdfast::client {

struct Waiting {
  Message message;
  BufferedSender::Callback done;
};

// What leaves together.
struct SendBatch {
  std::vector<Message> messages;
  std::vector<BufferedSender::Callback> done;  // of each
  std::size_t bytes = 0;
};

class SendBuffer {
 public:
  explicit SendBuffer(const BufferedSenderOptions& options) : options_(options) {}

  bool has_room(const Message& message) const;
  void add(Waiting waiting, Timestamp time);
  // All so far are due. Gives how many there were ever: see answered().
  std::uint64_t flush();

  bool empty() const { return waiting_.empty(); }
  // When a batch may leave; max() if nothing waits.
  Timestamp due() const;
  // The next batch. Something waits. What it holds still counts.
  SendBatch take();
  // A batch is done with.
  void release(const SendBatch& batch);
  // How many ever were done with.
  std::uint64_t answered() const { return added_ - held_; }

 private:
  struct Entry {
    Waiting waiting;
    std::size_t bytes;
    Timestamp added_at;
  };

  const BufferedSenderOptions& options_;
  std::deque<Entry> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t added_ = 0;    // ever
  std::uint64_t taken_ = 0;    // ever
  std::uint64_t flushed_ = 0;  // of those added, the first so many
  std::size_t held_ = 0;       // waiting and under way
  std::size_t held_bytes_ = 0;
};

}  // namespace holdfast::client
