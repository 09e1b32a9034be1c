#include "server/monitor/host_names.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace holdfast::server {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// "[::1]:9100" has its address in brackets.
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view name) {
  boost::system::error_code failure;
  boost::asio::ip::make_address(std::string(name), failure);
  return !failure;
}

}  // namespace

HostNames::HostNames(const std::vector<std::string>& names) {
  names_.insert("localhost");
  for (const std::string& name : names) names_.insert(lowered(name));
}

bool HostNames::allow(std::string_view host) const {
  if (host.empty()) return true;
  std::string name = lowered(without_port(host));
  if (name.ends_with('.')) name.pop_back();
  return is_address(name) || names_.contains(name);
}

}  // namespace holdfast::server
