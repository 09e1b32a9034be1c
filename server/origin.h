// Where a client comes from.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace holdfast::server {

struct Origin {
  std::string address;             // "127.0.0.1:40000", or "pid:123" on a Unix socket
  std::optional<uid_t> user = {};  // on a Unix socket, as the operating system says
};

}  // namespace holdfast::server
