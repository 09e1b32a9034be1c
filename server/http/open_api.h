// Describes the HTTP API from the routes and the protocol's schema.
#pragma once

#include <string>

namespace holdfast::server {

// Returns an OpenAPI 3.1 document as JSON. It is made once.
const std::string& open_api();

}  // namespace holdfast::server
