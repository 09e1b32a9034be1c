// A client's send that ends by a time of its own.
#pragma once

#include <string_view>
#include <vector>

#include "client/common/clock_wait.h"
#include "holdfast/client.h"

namespace holdfast::client {

// Blocks. Over `within` that time by that clock, whatever call_timeout says: kUnavailable if nothing was sent
// by then, and nothing is afterwards; kOutcomeUnknown if it was.
Result<std::vector<Result<Sent>>> send_within(Client& client, std::string_view queue,
                                              std::vector<Message> messages, const SendOptions& options,
                                              Duration within, const ClockWait& time);

}  // namespace holdfast::client
