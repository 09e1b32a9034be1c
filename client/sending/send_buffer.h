// Messages that wait to be sent together. It has no clock: callers pass the time.
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

// SendBatch has the messages that leave together.
struct SendBatch {
  std::vector<Message> messages;
  std::vector<BufferedSender::Callback> done;  // the callback of each message
  std::size_t bytes = 0;
};

class SendBuffer {
 public:
  explicit SendBuffer(const BufferedSenderOptions& options) : options_(options) {}

  bool has_room(const Message& message) const;
  void add(Waiting waiting, Timestamp time);
  // Makes all messages so far due. Returns how many were ever added, to compare with answered().
  std::uint64_t flush();

  bool empty() const { return waiting_.empty(); }
  // Returns when a batch may leave; max() if nothing waits.
  Timestamp due() const;
  // Returns the next batch. Requires that something waits. The batch counts against the room until release().
  SendBatch take();
  // Frees the room of a batch that is done with.
  void release(const SendBatch& batch);
  // Returns how many messages were ever done with.
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
  std::uint64_t added_ = 0;    // how many were ever added
  std::uint64_t taken_ = 0;    // how many were ever taken
  std::uint64_t flushed_ = 0;  // this many of the messages that were added first are due
  std::size_t held_ = 0;       // how many wait or are under way
  std::size_t held_bytes_ = 0;
};

}  // namespace holdfast::client
