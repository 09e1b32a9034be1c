// Tells people of a dead letter: first by the callback, then by the webhook.
#pragma once

#include <string>

#include "holdfast/dead_letter_worker.h"

namespace holdfast::worker {

// Summarises a dead letter in one short line: "orders-dlq: timeout: no answer from the warehouse; from
// orders, 3 deliveries, 1 replay".
std::string summary_of(const std::string& queue, const DeadLetter& letter);

// Returns what the webhook is sent: a JSON object without the message's body. Bytes that are not UTF-8 are
// replaced.
std::string to_json(const Escalation& escalation);

// Calls the callback. An exception becomes an error.
Result<void> call(const EscalationCallback& callback, const Escalation& escalation);

}  // namespace holdfast::worker
