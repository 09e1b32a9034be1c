// Looking at the messages of a queue without receiving them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/redaction.h"
#include "holdfast/time.h"

namespace holdfast {

// Where a message lies that waits outside the log. Names no message for long: it is gone when that is due.
struct ScheduledPlace {
  Timestamp due{};
  std::uint64_t row = 0;    // of those that are due then
  std::uint32_t index = 0;  // within the row

  friend auto operator<=>(const ScheduledPlace&, const ScheduledPlace&) = default;
};

// "DUE.ROW.INDEX", the due time in microseconds since the epoch, and back.
std::string to_string(const ScheduledPlace& place);
std::optional<ScheduledPlace> parse_scheduled_place(std::string_view text);

struct PeekOptions {
  // Begin at this place or the next after it (PeekPage::next). kInvalidArgument with `scheduled`.
  std::optional<Seq> from = {};
  std::optional<MessageId> id = {};  // only this message
  std::size_t max = 100;             // 1..limits::kListPage
  bool bodies = false;               // fill in body and attributes
  // The messages that wait outside the log instead: those sent with a delay or for a time, and those released
  // with a wait beyond a minute. In the order in which they are due.
  bool scheduled = false;
  // At this place among those that wait, or the next after it. kInvalidArgument without `scheduled`.
  std::optional<ScheduledPlace> from_scheduled = {};  // PeekPage::next_scheduled
  Redaction redact = {};
};

enum class MessageState : std::uint8_t {
  kReady = 1,
  kWaiting = 2,  // for the end of a delay, or on its way out of the queue
  kLeased = 3,
};

// "ready", "waiting", "leased".
std::string_view to_string(MessageState state);

struct PeekedMessage {
  Seq seq{};                                // its place in the log; 0 if it waits outside
  std::optional<ScheduledPlace> scheduled;  // its place if it waits outside the log
  MessageId id;
  MessageState state = MessageState::kReady;
  Timestamp sent_at{};
  std::optional<Timestamp> due;         // when its delay or its lease ends
  std::optional<Timestamp> expires_at;  // when its time to live ends
  std::uint32_t deliveries = 0;         // charged so far
  std::uint32_t replays = 0;
  std::string body;
  Attributes attributes;
  std::vector<std::string> redacted = {};  // what was taken out of those: "body", "attribute card"
};

struct PeekPage {
  std::vector<PeekedMessage> items;  // in the order of their places
  // Set if there may be more. A page may hold fewer than were asked for, even none: it ends after
  // limits::kPeekScan messages were looked at, or near limits::kBatchBytes of bodies and attributes.
  std::optional<Seq> next;
  std::optional<ScheduledPlace> next_scheduled;  // the same, of scheduled ones
};

}  // namespace holdfast
