#include "holdfast/peek.h"

namespace holdfast {

std::string_view to_string(MessageState state) {
  switch (state) {
    case MessageState::kReady:
      return "ready";
    case MessageState::kWaiting:
      return "waiting";
    case MessageState::kLeased:
      return "leased";
  }
  return "unknown";
}

}  // namespace holdfast
