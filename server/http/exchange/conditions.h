// This header handles the conditions of a request (RFC 9110, section 13): If-Match and If-None-Match.
#pragma once

#include <capnp/dynamic.h>

#include <string>
#include <string_view>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Returns the tag of an answer's body. If the answer shows something that has a version, such as a queue, the
// tag begins with the version: the counts in the answer may change while the version stays.
std::string entity_tag(std::string_view body, std::string_view version);

// Returns whether the client already has what the tag names, and wants an answer only if it differs
// (If-None-Match).
bool is_known(const HttpRequest& request, std::string_view tag);

// Writes the versions that a request to change something names into `params`, for the call to check.
// kPreconditionFailed if the resource has no versions: a condition that nobody would check is not ignored.
// kInvalidArgument if `params` has versions already.
Result<void> read_conditions(const HttpRequest& request, capnp::DynamicStruct::Builder params);

// Checks a request to change something that has no version. kPreconditionFailed if it has conditions.
Result<void> refuse_conditions(const HttpRequest& request);

// Returns whether the resource must be new: `If-None-Match: *`.
bool wants_new(const HttpRequest& request);

}  // namespace holdfast::server
