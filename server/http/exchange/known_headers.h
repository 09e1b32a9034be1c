// Headers that would be passed over in silence, though whoever sent them meant something by them.
#pragma once

#include <span>
#include <string_view>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Beside `known`, of Holdfast's own headers only Holdfast-Request means something everywhere.
// kInvalidArgument names another one, a condition or a key that is empty, since the call would be made
// without it, and what is said twice though it can only have one value, of which the call would take one.
Result<void> check_headers(const HttpRequest& request, std::span<const std::string_view> known);

}  // namespace holdfast::server
