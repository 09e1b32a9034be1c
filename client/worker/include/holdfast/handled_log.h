// Idempotency: messages come at least once, so a consumer notes what it has handled, and what comes again is
// acknowledged without being handled again. Two of one key that are handled at the same moment are both
// handled.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "holdfast/error.h"

namespace holdfast {

// Where it is noted. Called on threads of a worker's, several at a time; must not throw.
//
// A handler that was done and not noted, because the process died in between, is called again. Where that
// must not be, the note belongs into the handler's own database transaction; with an embedded engine, see
// Engine::commit.
class HandledLog {
 public:
  virtual ~HandledLog() = default;
  // Whether a message of this key was handled. An error has the message retried.
  virtual Result<bool> was_handled(const std::string& key) = 0;
  // It was, just now. After an error the message is acknowledged all the same.
  virtual Result<void> note_handled(const std::string& key) = 0;
};

// In memory, of this process: the last ones. For what comes again since its ack failed, or since it was sent
// twice.
class RecentlyHandled final : public HandledLog {
 public:
  // Remembers so many, at least 1; the oldest are forgotten first.
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
