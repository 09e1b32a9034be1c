// Whom the HTTP port knows by name.
#pragma once

#include <string>
#include <vector>

namespace holdfast::server {

struct HttpNames {
  std::vector<std::string> hosts = {};         // that it may be asked for by, beside addresses and localhost
  std::vector<std::string> cors_origins = {};  // of pages that may use it: "https://ops.example.org"
};

}  // namespace holdfast::server
