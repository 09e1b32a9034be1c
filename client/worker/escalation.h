// Telling people of a dead letter: the callback, then the webhook.
#pragma once

#include <string>

#include "holdfast/dead_letter_worker.h"

namespace holdfast::worker {

// "orders-dlq: timeout: no answer from the warehouse; from orders, 3 deliveries, 1 replay", cut to a line.
std::string summary_of(const std::string& queue, const DeadLetter& letter);

// What the webhook is sent: a JSON object, bytes that are not UTF-8 replaced. The message's body is left
// out.
std::string to_json(const Escalation& escalation);

// Calls the callback. What it throws is an error.
Result<void> call(const EscalationCallback& callback, const Escalation& escalation);

}  // namespace holdfast::worker
