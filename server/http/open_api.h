// The HTTP API's description, made of the routes and the protocol's schema.
#pragma once

#include <string>

namespace holdfast::server {

// An OpenAPI 3.1 document, as JSON. Made once.
const std::string& open_api();

}  // namespace holdfast::server
