#include "server/monitor/host_names.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <iterator>

namespace holdfast::server {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// Returns a host without its port. "[::1]:9100" has its address in brackets.
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

// Returns the name as it is compared: in lower case, without a port, and without the dot that ends a whole
// name.
std::string name_of(std::string_view host) {
  std::string name = lowered(without_port(host));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Returns whether the text is a reg-name of RFC 3986, section 3.2.2, or an IPv4 address, which has the same
// characters.
bool is_name(std::string_view text) {
  constexpr std::string_view kOthers = "-._~!$&'()*+,;=";
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text[0] == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2])) return false;
      text.remove_prefix(2);
    } else if (!is_letter(text[0]) && !is_digit(text[0]) && kOthers.find(text[0]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

// Returns whether the text is an IPv6 address in brackets. RFC 3986 also allows addresses of later versions,
// whose form nobody knows.
bool is_bracketed(std::string_view text) {
  if (text.size() < 2 || text.back() != ']' || text.find('%') != std::string_view::npos) return false;
  boost::system::error_code failure;
  boost::asio::ip::make_address_v6(std::string(text.substr(1, text.size() - 2)), failure);
  return !failure;
}

// Returns whether the text is uri-host [ ":" port ]. Either part may be empty.
bool is_host(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos && !std::ranges::all_of(text.substr(colon + 1), is_digit)) return false;
  const std::string_view host = text.substr(0, colon);
  return host.starts_with('[') ? is_bracketed(host) : is_name(host);
}

bool is_address(std::string_view name) {
  boost::system::error_code failure;
  boost::asio::ip::make_address(std::string(name), failure);
  return !failure;
}

std::string_view host_mistake(const boost::beast::http::request_header<>& request) {
  constexpr unsigned kHttp11 = 11;
  const auto [first, end] = request.equal_range(boost::beast::http::field::host);
  if (first == end)
    return request.version() < kHttp11 ? std::string_view()
                                       : "the request has no Host header, which HTTP/1.1 requires";
  if (std::next(first) != end) return "the request has more than one Host header";
  const auto value = first->value();
  return is_host({value.data(), value.size()}) ? std::string_view()
                                               : "the Host header is not a valid host name";
}

}  // namespace

std::string_view settle_host(boost::beast::http::request_header<>& request) {
  if (const auto wrong = host_mistake(request); !wrong.empty()) return wrong;
  if (request.target().starts_with('/')) return {};
  const std::string target(request.target());
  const std::size_t colon = target.find("://");
  const std::string scheme = lowered(target.substr(0, colon));
  if (colon == std::string::npos || (scheme != "http" && scheme != "https")) return {};
  const std::string rest = target.substr(colon + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  if (end == 0) return "the target of the request is a URL without a host";
  request.set(boost::beast::http::field::host, rest.substr(0, end));
  request.target(rest[end] == '/' ? rest.substr(end) : "/" + rest.substr(end));
  return host_mistake(request);
}

HostNames::HostNames(const std::vector<std::string>& names) {
  names_.insert("localhost");
  for (const std::string& name : names) names_.insert(lowered(name));
}

bool is_this_machine(std::string_view host) {
  const std::string name = name_of(host);
  if (name == "localhost" || name.ends_with(".localhost")) return true;
  boost::system::error_code failure;
  return boost::asio::ip::make_address(name, failure).is_loopback();
}

bool HostNames::allow(std::string_view host) const {
  if (host.empty()) return true;
  const std::string name = name_of(host);
  return is_address(name) || names_.contains(name);
}

}  // namespace holdfast::server
