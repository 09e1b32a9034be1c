// By which names an HTTP server may be asked for, and how a request says which one it means.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// Which host a request means is its Host from here on. Of a target that is a whole URL the host counts, and
// what Host says does not (RFC 9112, section 3.2.2): it becomes the Host, and the rest of the URL the target.
// Gives what is wrong, whatever names there are: section 3.2 wants it answered with 400 (Bad Request). Empty:
// nothing.
std::string_view settle_host(boost::beast::http::request_header<>& request);

// Whether browsers take a host for the machine that they run on, whatever a name server says: "localhost",
// the names below it, and loopback addresses.
bool is_this_machine(std::string_view host);

// A page of somebody else's may have its own name lead to this machine, and its scripts read what a server
// here answers to that name. Browsers say which name it was, so a request for one that is not this server's
// is refused. Addresses and "localhost" are nobody's to give away.
class HostNames {
 public:
  explicit HostNames(const std::vector<std::string>& names);

  // Whether a request may have this for its Host, which has a port or none. Also an empty one, or none in
  // HTTP/1.0: no browser says that.
  bool allow(std::string_view host) const;

 private:
  std::set<std::string, std::less<>> names_;  // in small letters
};

}  // namespace holdfast::server
