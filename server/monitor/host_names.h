// HostNames are the names by which clients may address an HTTP server, and the name that a request means.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// Makes the Host of a request the host that the request means. If its target is a whole URL, the URL's host
// counts and not what Host says (RFC 9112, section 3.2.2): it becomes the Host, and the rest of the URL
// becomes the target. Returns what is wrong with the request, whatever names the server has, or an empty
// text; section 3.2 wants such a request answered with 400 (Bad Request).
std::string_view settle_host(boost::beast::http::request_header<>& request);

// Returns whether browsers take a host for the machine that they run on, whatever a name server says:
// "localhost", the names below it, and loopback addresses.
bool is_this_machine(std::string_view host);

// HostNames are the names that a server answers to. A page of somebody else may let its own name lead to this
// machine, and its scripts would then read what a server here answers to that name. Browsers say which name
// they asked for, so a request for a name that is not this server's is refused. Nobody else can own addresses
// and "localhost".
class HostNames {
 public:
  explicit HostNames(const std::vector<std::string>& names);

  // Returns whether a request may have this Host, with or without a port. An empty Host, and no Host in
  // HTTP/1.0, is allowed: no browser sends that.
  bool allow(std::string_view host) const;

 private:
  std::set<std::string, std::less<>> names_;  // in lower case
};

}  // namespace holdfast::server
