#include "client/sending/send_buffer.h"

#include <utility>

namespace holdfast::client {
namespace {

// Counts whatever has no fixed size, so that a message with anything too long leaves alone and is refused
// alone.
std::size_t bytes_of(const Message& message) {
  std::size_t bytes = message.body.size() + message.group.size() + message.deduplication_id.size();
  for (const Attribute& attribute : message.attributes)
    bytes += attribute.name.size() + attribute.value.size();
  return bytes;
}

}  // namespace

bool SendBuffer::has_room(const Message& message) const {
  if (held_ == 0) return true;
  return held_ < options_.buffer_messages && held_bytes_ + bytes_of(message) <= options_.buffer_bytes;
}

void SendBuffer::add(Waiting waiting, Timestamp time) {
  const std::size_t bytes = bytes_of(waiting.message);
  waiting_.push_back({std::move(waiting), bytes, time});
  waiting_bytes_ += bytes;
  ++added_;
  ++held_;
  held_bytes_ += bytes;
}

std::uint64_t SendBuffer::flush() { return flushed_ = added_; }

Timestamp SendBuffer::due() const {
  if (waiting_.empty()) return Timestamp::max();
  const bool is_full = waiting_.size() >= options_.batch_messages || waiting_bytes_ >= options_.batch_bytes;
  if (is_full || taken_ < flushed_) return Timestamp::min();
  return waiting_.front().added_at + options_.linger;
}

SendBatch SendBuffer::take() {
  SendBatch batch;
  while (!waiting_.empty() && batch.messages.size() < options_.batch_messages) {
    Entry& next = waiting_.front();
    if (!batch.messages.empty() && batch.bytes + next.bytes > options_.batch_bytes) break;
    batch.messages.push_back(std::move(next.waiting.message));
    batch.done.push_back(std::move(next.waiting.done));
    batch.bytes += next.bytes;
    waiting_.pop_front();
  }
  waiting_bytes_ -= batch.bytes;
  taken_ += batch.messages.size();
  return batch;
}

void SendBuffer::release(const SendBatch& batch) {
  held_ -= batch.done.size();
  held_bytes_ -= batch.bytes;
}

}  // namespace holdfast::client
