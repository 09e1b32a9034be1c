// This header writes an event as a flat JSON object. A webhook of the shape json sends it, and a template
// names its fields.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"
#include "holdfast/event.h"
#include "holdfast/queue.h"

namespace holdfast::server {

// All fields that events may have, in the order in which they are shown. An event lacks the fields that do
// not concern it.
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

// Returns, for example, {"kind": "rule_fired", "time": "2026-03-01T09:30:00.412Z", "queue": "orders-dlq",
// "rule": "depth", …}.
Json event_fields(const Event& event);

// Formats tags: "team=billing, tier=1".
std::string tags_text(const Tags& tags);

// Makes the event that a rule of a queue fired from the alert of the rule, which holds already.
Event event_of(const QueueInfo& queue, const Alert& alert);

}  // namespace holdfast::server
