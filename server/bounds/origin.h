// An Origin says where a client comes from.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace holdfast::server {

struct Origin {
  std::string address;             // "127.0.0.1:40000", or "pid:123" on a Unix socket
  std::optional<uid_t> user = {};  // only on a Unix socket; the operating system names it
  // Clients of one origin share their host: an IPv4 address, the half of an IPv6 address that names a
  // network, or a user.
  std::string host = {};
};

// Returns whether the client is a process of this process's user or of root, on a Unix socket.
inline bool is_owner(const Origin& origin) {
  return origin.user && (*origin.user == 0 || *origin.user == ::geteuid());
}

}  // namespace holdfast::server
