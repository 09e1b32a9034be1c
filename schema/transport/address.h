// Where a server listens: "127.0.0.1:7700", "[::1]:7700", "localhost:7700", with TLS
// "tls://example.org:7700", or "unix:/run/holdfast.sock".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::transport {

inline constexpr std::uint16_t kDefaultPort = 7700;

struct Address {
  enum class Kind : std::uint8_t { kTcp, kTls, kUnix };
  Kind kind = Kind::kTcp;
  std::string host = "127.0.0.1";     // kTcp, kTls: a name or a number, IPv6 without its brackets
  std::uint16_t port = kDefaultPort;  // kTcp, kTls
  std::string path = {};              // kUnix

  friend bool operator==(const Address&, const Address&) = default;
};

// A port that is left out is kDefaultPort. kInvalidArgument names what is wrong.
Result<Address> parse_address(std::string_view text);

// What parse_address takes.
std::string to_string(const Address& address);

}  // namespace holdfast::transport
