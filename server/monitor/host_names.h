// By which names an HTTP server may be asked for.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// A page of somebody else's may have its own name lead to this machine, and its scripts read what a server
// here answers to that name. Browsers say which name it was, so a request for one that is not this server's
// is refused. Addresses and "localhost" are nobody's to give away.
class HostNames {
 public:
  explicit HostNames(const std::vector<std::string>& names);

  // Whether a request may have this for its Host, which has a port or none. Also without one: no browser
  // leaves it out.
  bool allow(std::string_view host) const;

 private:
  std::set<std::string, std::less<>> names_;  // in small letters
};

}  // namespace holdfast::server
