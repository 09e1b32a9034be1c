// The conditions of a request (RFC 9110, section 13): If-Match and If-None-Match.
#pragma once

#include <capnp/dynamic.h>

#include <string>
#include <string_view>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// The tag of an answer's body. One that shows something with a version of its own, as a queue, has that in
// front: what is counted in it may go on while its version stays.
std::string entity_tag(std::string_view body, std::string_view version);

// Whether the client has what the tag names, and asks for something else only (If-None-Match).
bool is_known(const HttpRequest& request, std::string_view tag);

// What a request to change something says of the version that it is to be changed from, for the call to
// check. kPreconditionFailed where the resource has no versions: a condition that nobody would hold is not
// passed over.
Result<void> read_conditions(const HttpRequest& request, capnp::DynamicStruct::Builder params);

// The conditions of a request to change what has no version: kPreconditionFailed if there are any.
Result<void> refuse_conditions(const HttpRequest& request);

// Whether the resource has to be new: `If-None-Match: *`.
bool wants_new(const HttpRequest& request);

}  // namespace holdfast::server
