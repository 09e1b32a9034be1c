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
#include "holdfast/time.h"

namespace holdfast {

struct PeekOptions {
  std::optional<Seq> from = {};      // begin at this place or the next after it (PeekPage::next)
  std::optional<MessageId> id = {};  // only this message
  std::size_t max = 100;             // 1..limits::kListPage
  bool bodies = false;               // fill in body and attributes
};

enum class MessageState : std::uint8_t {
  kReady = 1,
  kWaiting = 2,  // for the end of a delay, or on its way out of the queue
  kLeased = 3,
};

// "ready", "waiting", "leased".
std::string_view to_string(MessageState state);

struct PeekedMessage {
  Seq seq{};
  MessageId id;
  MessageState state = MessageState::kReady;
  Timestamp sent_at{};
  std::optional<Timestamp> due;         // when its delay or its lease ends
  std::optional<Timestamp> expires_at;  // when its time to live ends
  std::uint32_t deliveries = 0;         // charged so far
  std::uint32_t replays = 0;
  std::string body;
  Attributes attributes;
};

struct PeekPage {
  std::vector<PeekedMessage> items;  // in the order of their places
  // Set if there may be more. A page may hold fewer than were asked for, even none: it ends after
  // limits::kPeekScan messages were looked at, or near limits::kBatchBytes of bodies and attributes.
  std::optional<Seq> next;
};

}  // namespace holdfast
