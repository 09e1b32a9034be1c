// An Address says where a server listens: "127.0.0.1:7700", "[::1]:7700", "localhost:7700", with TLS
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
  // kTcp and kTls have a host: a name or an address; an IPv6 address without its brackets.
  std::string host = "127.0.0.1";
  std::uint16_t port = kDefaultPort;  // for kTcp and kTls
  std::string path = {};              // for kUnix

  friend bool operator==(const Address&, const Address&) = default;
};

// Parses an address. A missing port means kDefaultPort. kInvalidArgument says what is wrong.
Result<Address> parse_address(std::string_view text);

// Writes an address as parse_address() accepts it.
std::string to_string(const Address& address);

}  // namespace holdfast::transport
