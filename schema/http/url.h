// A Url says where an HTTP server is, such as a webhook's, and what is asked of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::http {

struct Url {
  bool tls = false;
  std::string host = {};  // a name or an address; an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string target = "/";  // path and query

  // Returns the host for the header Host, with the port unless it is the scheme's default.
  std::string authority() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// Parses "http://host[:port][/path][?query]" or the same with https. kInvalidArgument says what is wrong; a
// URL with a user's name, a password or a fragment is refused.
Result<Url> parse_url(std::string_view text);

}  // namespace holdfast::http
