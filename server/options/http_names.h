// HttpNames are the names that the HTTP port knows.
#pragma once

#include <string>
#include <vector>

namespace holdfast::server {

struct HttpNames {
  std::vector<std::string> hosts = {};  // names of the server, beside addresses and localhost
  // `cors_origins` are the origins of pages that may use the port: "https://ops.example.org".
  std::vector<std::string> cors_origins = {};
};

}  // namespace holdfast::server
