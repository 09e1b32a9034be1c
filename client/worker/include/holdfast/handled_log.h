// Idempotency: a message is delivered at least once, so a worker notes which messages it has handled, and
// acknowledges a message that comes again without handling it again. Two messages with the same key that come
// at the same moment are both handled.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "holdfast/error.h"

namespace holdfast {

// A HandledLog is where a worker notes the messages that it has handled. The worker's threads call it,
// several at a time. It must not throw.
//
// If the process dies after the handler and before the note, the handler is called again. Where that must not
// happen, the handler writes the note itself, in its own database transaction, or with Engine::commit if it
// has an engine in its process.
class HandledLog {
 public:
  virtual ~HandledLog() = default;
  // Returns whether a message with this key was handled. After an error the message is retried.
  virtual Result<bool> was_handled(const std::string& key) = 0;
  // Notes that a message with this key was handled just now. After an error the message is acknowledged
  // anyway.
  virtual Result<void> note_handled(const std::string& key) = 0;
};

// Remembers the latest messages in the memory of this process. That is enough for messages that come again
// soon, since their ack failed or since they were sent twice.
class RecentlyHandled final : public HandledLog {
 public:
  // `capacity` is how many keys to remember, at least 1. The oldest keys are forgotten first.
  explicit RecentlyHandled(std::size_t capacity = 100'000);
  ~RecentlyHandled() override;
  RecentlyHandled(const RecentlyHandled&) = delete;
  RecentlyHandled& operator=(const RecentlyHandled&) = delete;

  Result<bool> was_handled(const std::string& key) override;
  Result<void> note_handled(const std::string& key) override;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
