// Refuses headers that would be ignored although their sender meant something by them.
#pragma once

#include <span>
#include <string_view>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Checks a request's headers. Of Holdfast's own headers, only `known` ones and Holdfast-Request are allowed.
// kInvalidArgument names any other one; a condition or key that is empty, since the call would be made
// without it; and a header that occurs twice though it can have only one value, of which the call would take
// one.
Result<void> check_headers(const HttpRequest& request, std::span<const std::string_view> known);

}  // namespace holdfast::server
