#include "server/http/connection/framing.h"

#include <array>
#include <boost/asio/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <string>
#include <string_view>

#include "server/monitor/host_names.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::string_view kLineEnd = "\r\n";
constexpr auto kSingletons = std::to_array<std::string_view>(
    {"Authorization", "Content-Type", "Idempotency-Key", "Origin", "X-Amz-Date", "X-Amz-Target"});

std::string_view text_of(const boost::beast::flat_buffer& buffer) {
  const auto bytes = buffer.cdata();
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns what is wrong with the transfer coding; empty if nothing is. Beast knows where a chunked body ends.
// It takes a body of any other coding for no body, so the bytes of the body would be the next request (RFC
// 9112, 6.3).
std::string_view coding_mistake(const HttpRequest& head) {
  const auto codings = head.count(http::field::transfer_encoding);
  if (codings == 0) return {};
  if (head.version() < kHttp11) return "HTTP/1.0 has no transfer codings";
  const bool is_chunked =
      codings == 1 && boost::beast::iequals(head[http::field::transfer_encoding], "chunked");
  return is_chunked ? std::string_view() : "the only transfer coding that is accepted is chunked";
}

// Returns which header stands twice though it can have only one value, of which one would count (RFC 9110,
// 5.3); empty if none does. settle_host() looks at Host.
std::string_view doubled_header(const HttpRequest& head) {
  for (const std::string_view name : kSingletons) {
    if (head.count(as_beast(name)) > 1) return name;
  }
  return {};
}

}  // namespace

std::optional<Error> settle_head(HttpRequest& head) {
  std::string_view wrong = settle_host(head.base());
  if (wrong.empty()) wrong = coding_mistake(head);
  if (!wrong.empty()) return Error{ErrorCode::kInvalidArgument, std::string(wrong)};
  const std::string_view doubled = doubled_header(head);
  if (doubled.empty()) return std::nullopt;
  return Error{ErrorCode::kInvalidArgument, std::string(doubled) + ": there is more than one"};
}

void skip_empty_lines(boost::beast::flat_buffer& buffer) {
  while (text_of(buffer).starts_with(kLineEnd)) buffer.consume(kLineEnd.size());
}

bool has_begun(const boost::beast::flat_buffer& buffer) {
  const std::string_view text = text_of(buffer);
  return !text.empty() && text != kLineEnd.substr(0, 1);
}

std::optional<Error> malformed(const boost::beast::error_code& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() == asio::error::get_system_category() || error == asio::error::eof)
    return std::nullopt;
  const bool too_large = error == http::error::body_limit;
  return Error{too_large ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument,
               "the request cannot be read: " + error.message()};
}

}  // namespace holdfast::server
