// SHA-256 digests as texts.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::server {

std::string sha256(std::string_view bytes);  // 32 bytes
std::string hex(std::string_view bytes);
inline std::string sha256_hex(std::string_view bytes) { return hex(sha256(bytes)); }

}  // namespace holdfast::server
