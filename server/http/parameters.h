// Each parameter of a call has one place in its request, which the OpenAPI document shows too.
#pragma once

#include <capnp/schema.h>

#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "server/http/json/json_fields.h"
#include "server/http/routes.h"

namespace holdfast::server {

// Returns the parameters of the route's call.
capnp::StructSchema parameters_of(const Route& route);

// Returns the struct that the JSON body of a request fills: all parameters, or one struct among them.
capnp::StructSchema body_struct(const Route& route);

// Returns whether the path names the parameter.
bool is_in_path(const Route& route, std::string_view name);

// Returns the parameters that the query of a request may have. It has what is not in the path and not in the
// body.
std::vector<const JsonField*> query_fields(const Route& route);

// Returns the members that the JSON body of a request may have. There are none if the route takes no JSON.
std::vector<const JsonField*> body_fields(const Route& route);

// Check that the query, or the JSON body, is the place of a parameter. kInvalidArgument says which one is, or
// that there is no such parameter.
Result<void> check_in_query(const Route& route, std::string_view name);
Result<void> check_in_body(const Route& route, std::string_view name);

}  // namespace holdfast::server
