// The bytes of an input as the server's HTTP port would read them.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <optional>
#include <string_view>

#include "server/http/exchange/exchange.h"
#include "server/monitor/host_names.h"

namespace holdfast::fuzz {

// Returns nothing if the input has no whole head or is not HTTP.
inline std::optional<server::HttpRequest> parse_request(std::string_view input) {
  namespace http = boost::beast::http;
  http::request_parser<http::string_body> parser;
  parser.eager(true);  // the body too
  boost::system::error_code error;
  parser.put(boost::asio::buffer(input.data(), input.size()), error);
  if (error || !parser.is_header_done()) return std::nullopt;
  auto request = parser.release();
  if (!server::settle_host(request).empty()) return std::nullopt;
  return request;
}

}  // namespace holdfast::fuzz
