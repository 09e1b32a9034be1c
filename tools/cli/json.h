// The JSON that programs read. Field names are stable. A time is a text as in RFC 3339, in UTC, or null if
// its event has not happened; a duration is a number of milliseconds.
#pragma once

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "holdfast/peek.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "tools/cli/command_session.h"

namespace holdfast::command {

Json time_or_null(const std::optional<Timestamp>& time);
Json to_json(const QueueInfo& info);
Json to_json(const Sent& sent);
Json to_json(const Delivery& delivery);
Json to_json(const PeekedMessage& message, bool bodies);
// The object has the body and the attributes only with `bodies`.
Json to_json(const DeadLetter& letter, bool bodies);
Json to_json(const LeftInPlace& left);
Json to_json(const TaskStatus& status);

}  // namespace holdfast::command
