// Reads what the reply of a call about several entries says about each of them.
#pragma once

#include <optional>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Returns the error of the first entry that failed; nothing if none failed.
std::optional<Error> first_failure(const Json& reply);

// Makes the answer from the `ok` of a SendReply. An entry that failed has null for its id. If nothing was
// sent at all, the answer is the problem of the first entry, and its member `failed` has the problems of all.
HttpResponse answer_batch_send(unsigned status, Json sent);

}  // namespace holdfast::server
