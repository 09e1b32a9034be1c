// States of messages have stable names. A place among scheduled messages is written as three decimal numbers,
// so that a caller can hand it back for the next page.
#include "holdfast/peek.h"

#include <charconv>

namespace holdfast {
namespace {

// Takes a number off the text and, unless it is the last one, the dot after it.
template <class Number>
bool take(std::string_view& text, bool last, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (last) return text.empty();
  const bool dot = text.starts_with('.');
  if (dot) text.remove_prefix(1);
  return dot;
}

}  // namespace

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

std::string to_string(const ScheduledPlace& place) {
  return std::to_string(place.due.time_since_epoch().count()) + "." + std::to_string(place.row) + "." +
         std::to_string(place.index);
}

std::optional<ScheduledPlace> parse_scheduled_place(std::string_view text) {
  ScheduledPlace place;
  Duration::rep due = 0;
  if (!take(text, false, due) || !take(text, false, place.row) || !take(text, true, place.index))
    return std::nullopt;
  place.due = Timestamp(Duration(due));
  return place;
}

}  // namespace holdfast
