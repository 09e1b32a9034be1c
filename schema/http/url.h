// Where a webhook is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::http {

struct Url {
  bool tls = false;
  std::string host = {};  // a name or an address; one of IPv6 without its brackets
  std::uint16_t port = 80;
  std::string target = "/";  // path and query

  // As the Host header has it: without the port if it is the scheme's own.
  std::string authority() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// "http://host[:port][/path][?query]", or https. kInvalidArgument says what is wrong; a user's name, a
// password and a fragment are refused.
Result<Url> parse_url(std::string_view text);

}  // namespace holdfast::http
