// A MessageEdit makes the changes that a redrive asks for in a message on its way.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/codec/rows/chunk.h"
#include "holdfast/redrive.h"

namespace holdfast {

// A RedriveValue stands for one of these values.
struct RedriveValues {
  std::string_view from_dlq;
  Timestamp time{};
  std::uint32_t replays = 0;
};

class MessageEdit {
 public:
  // Makes an edit. kInvalidArgument if the patch is not a JSON Patch.
  static Result<MessageEdit> make(const RedriveEdit& edit);

  bool empty() const { return edit_.empty(); }
  // Returns the message as the edit makes it. kInvalidArgument if the body is not JSON or the patch does not
  // fit it; kLimitExceeded if the message becomes too large.
  Result<Message> apply(const MessageView& message, const RedriveValues& values) const;

 private:
  struct Patch;
  RedriveEdit edit_;
  std::shared_ptr<const Patch> patch_;  // null if bodies are not patched
};

}  // namespace holdfast
