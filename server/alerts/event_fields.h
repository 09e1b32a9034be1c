// An event as a flat JSON object: what a webhook of the shape json is sent, and what a template can name.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"
#include "holdfast/event.h"
#include "holdfast/queue.h"

namespace holdfast::server {

// All that events may have, in the order in which they are shown; an event lacks those that say nothing of
// it.
inline constexpr std::array<std::string_view, 17> kEventFields = {"kind",
                                                                  "time",
                                                                  "time_ms",
                                                                  "queue",
                                                                  "rule",
                                                                  "severity",
                                                                  "value",
                                                                  "threshold",
                                                                  "summary",
                                                                  "tags",
                                                                  "dead_letter_queue",
                                                                  "dead_letter",
                                                                  "message_id",
                                                                  "cause",
                                                                  "category",
                                                                  "reason",
                                                                  "deliveries"};

// {"kind": "rule_fired", "time": "2026-03-01T09:30:00.412Z", "queue": "orders-dlq", "rule": "depth", …}
Json event_fields(const Event& event);

// "team=billing, tier=1".
std::string tags_text(const Tags& tags);

// A rule of a queue that holds already, as the event that it fired.
Event event_of(const QueueInfo& queue, const Alert& alert);

}  // namespace holdfast::server
