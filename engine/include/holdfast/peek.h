// This header handles peeking: looking at the messages of a queue without receiving them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/time.h"

namespace holdfast {

// A ScheduledPlace is the place of a message that waits outside the log. It names the message only until the
// message is due, when it enters the log and gets a Seq.
struct ScheduledPlace {
  Timestamp due{};
  std::uint64_t row = 0;    // tells rows with the same due time apart
  std::uint32_t index = 0;  // the place within the row

  friend auto operator<=>(const ScheduledPlace&, const ScheduledPlace&) = default;
};

// A place is written and read as "DUE.ROW.INDEX", with the due time in microseconds since the epoch.
std::string to_string(const ScheduledPlace& place);
std::optional<ScheduledPlace> parse_scheduled_place(std::string_view text);

struct PeekOptions {
  // The page begins in the log at this place, or at the next one that has a message (PeekPage::next). `from`
  // is refused (kInvalidArgument) together with `scheduled`.
  std::optional<Seq> from = {};
  std::optional<MessageId> id = {};  // show only this message
  std::size_t max = 100;             // 1..limits::kListPage
  bool bodies = false;               // fill in bodies and attributes
  // True: show the messages that wait outside the log, in the order in which they are due. These were sent
  // with a delay or for a time of day, or were released with a wait of more than a minute.
  bool scheduled = false;
  // Among the messages that wait outside the log, the page begins at this place, or at the next one that has
  // a message (PeekPage::next_scheduled). It is refused (kInvalidArgument) without `scheduled`.
  std::optional<ScheduledPlace> from_scheduled = {};
  Redaction redact = {};
};

enum class MessageState : std::uint8_t {
  kReady = 1,
  kWaiting = 2,  // it waits for the end of a delay, or is exhausted: about to leave the queue
  kLeased = 3,
};

// Returns the name of the state: "ready", "waiting" or "leased".
std::string_view to_string(MessageState state);

struct PeekedMessage {
  Seq seq{};                                // its place in the log; 0 if it waits outside the log
  std::optional<ScheduledPlace> scheduled;  // its place if it waits outside the log
  MessageId id;
  MessageState state = MessageState::kReady;
  Timestamp sent_at{};
  std::optional<Timestamp> due;         // when its delay or its lease ends
  std::optional<Timestamp> expires_at;  // when its time to live ends
  std::uint32_t deliveries = 0;         // deliveries charged so far
  std::uint32_t replays = 0;
  std::string body;
  Attributes attributes;
  std::vector<std::string> redacted = {};  // what was left out: "body", "attribute card"
};

struct PeekPage {
  std::vector<PeekedMessage> items;  // in the order of their places
  // A further call continues in the log at this place. It is set if there may be more, also on a page that is
  // short or empty: a page ends after limits::kPeekScan messages were looked at, or near limits::kBatchBytes
  // of bodies and attributes.
  std::optional<Seq> next;
  // A further call continues outside the log at this place. It is set if there may be more there.
  std::optional<ScheduledPlace> next_scheduled;
};

}  // namespace holdfast
