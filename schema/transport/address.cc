#include "schema/transport/address.h"

#include <algorithm>
#include <boost/asio/local/stream_protocol.hpp>
#include <charconv>

namespace holdfast::transport {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::string_view kTlsPrefix = "tls://";

tl::unexpected<Error> bad(std::string_view text, std::string_view what) {
  return fail(ErrorCode::kInvalidArgument, "address '" + std::string(text) + "': " + std::string(what) +
                                               " (host:port, tls://host:port or unix:/path)");
}

// Returns whether the character can be in no name and no address.
bool is_foreign(unsigned char c) { return c <= ' ' || c == 0x7f || c == '[' || c == ']' || c == '/'; }

Result<Address> parse_unix(std::string_view text) {
  std::string path(text.substr(kUnixPrefix.size()));
  if (path.empty()) return bad(text, "the path is empty");
  constexpr std::size_t kPathBytes = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > kPathBytes)
    return bad(text, "the path is longer than " + std::to_string(kPathBytes) + " bytes");
  if (path.find('\0') != std::string::npos) return bad(text, "the path has a byte that is 0");
  return Address{.kind = Address::Kind::kUnix, .host = {}, .port = 0, .path = std::move(path)};
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) return parse_unix(text);
  const bool tls = text.starts_with(kTlsPrefix);
  const std::size_t scheme = text.find("://");
  if (!tls && scheme != std::string_view::npos)
    return bad(text, "no address begins with '" + std::string(text.substr(0, scheme + 3)) + "'");
  auto rest = tls ? text.substr(kTlsPrefix.size()) : text;
  std::string_view host;
  if (rest.starts_with('[')) {
    auto close = rest.find(']');
    if (close == std::string_view::npos) return bad(text, "a ']' is missing");
    host = rest.substr(1, close - 1);
    rest = rest.substr(close + 1);
  } else {
    host = rest.substr(0, rest.rfind(':'));
    rest = rest.substr(host.size());
    if (host.find(':') != std::string_view::npos) return bad(text, "an IPv6 address goes in brackets");
  }
  if (host.empty()) return bad(text, "the host is empty");
  if (std::ranges::any_of(host, is_foreign))
    return bad(text, "the host has a blank, a bracket, a '/' or a control character");
  Address address{.kind = tls ? Address::Kind::kTls : Address::Kind::kTcp, .host = std::string(host)};
  if (rest.empty()) return address;
  if (!rest.starts_with(':')) return bad(text, "a ':' is missing before the port");
  rest.remove_prefix(1);
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), address.port);
  if (error != std::errc{} || end != rest.data() + rest.size())
    return bad(text, "the port is not a number up to 65535");
  return address;
}

std::string to_string(const Address& address) {
  if (address.kind == Address::Kind::kUnix) return std::string(kUnixPrefix) + address.path;
  bool v6 = address.host.find(':') != std::string::npos;
  const std::string prefix(address.kind == Address::Kind::kTls ? kTlsPrefix : "");
  return prefix + (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace holdfast::transport
