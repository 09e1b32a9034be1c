#include "schema/http/url.h"

#include <algorithm>
#include <charconv>

namespace holdfast::http {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

// Makes the error without the URL's text, which may have secrets and get into a log.
tl::unexpected<Error> bad(const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "the address is not a URL such as http://host:8080/path: " + why);
}

// Takes off and returns what precedes the first of `marks`; the mark stays.
std::string_view cut(std::string_view& rest, std::string_view marks) {
  const auto end = std::min(rest.find_first_of(marks), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end);
  return part;
}

bool read_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

}  // namespace

std::string Url::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (tls ? kHttpsPort : kHttpPort) ? name : name + ":" + std::to_string(port);
}

Result<Url> parse_url(std::string_view text) {
  const auto is_plain = [](unsigned char c) { return c > ' ' && c < 0x7f; };
  if (!std::ranges::all_of(text, is_plain)) return bad("it has blanks or control characters");
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.tls = true;
    url.port = kHttpsPort;
  } else if (!rest.starts_with("http://")) {
    return bad("it begins with neither http:// nor https://");
  }
  rest.remove_prefix(url.tls ? 8 : 7);
  std::string_view authority = cut(rest, "/?#");
  if (authority.find('@') != std::string_view::npos) return bad("it names a user");
  if (rest.find('#') != std::string_view::npos) return bad("it has a fragment");
  if (authority.starts_with('[')) {
    authority.remove_prefix(1);
    url.host = cut(authority, "]");
    if (authority.empty()) return bad("the bracket is not closed");
    authority.remove_prefix(1);
  } else {
    url.host = cut(authority, ":");
  }
  if (url.host.empty()) return bad("the host is missing");
  if (!authority.empty()) {
    if (!authority.starts_with(':') || !read_port(authority.substr(1), url.port))
      return bad("the port is not a number in 1..65535");
  }
  if (!rest.empty()) url.target = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
  return url;
}

}  // namespace holdfast::http
