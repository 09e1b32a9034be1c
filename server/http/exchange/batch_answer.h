// What replies of calls about several entries say of each of them.
#pragma once

#include <optional>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Why the first of the entries that failed did; nothing if none failed.
std::optional<Error> first_failure(const Json& reply);

// Of a SendReply's `ok`. What failed has no id; where nothing was sent at all, the answer is the problem of
// the first entry, with those of all as its member `failed`.
HttpResponse answer_batch_send(unsigned status, Json sent);

}  // namespace holdfast::server
