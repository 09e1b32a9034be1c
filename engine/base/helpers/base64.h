// These functions encode and decode Base64 (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

std::string base64_encode(std::string_view bytes);
// Returns nothing if the text is not what base64_encode() returns.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace holdfast
