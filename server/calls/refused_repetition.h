// Answers a call that its caller's rights do not allow, but that may repeat a call that had its effect when
// they did.
//
// A refusal means that nothing was done, and for a repetition only the request id can tell. So the id is
// looked up first: if it was used, the outcome is unknown to this caller. Only callers with the right to make
// the call may know what the first call was answered. That the id is in use tells a caller nothing new, since
// only calls under its own token's name have the id (Caller::request_id). A caller without any grant is told
// nothing.
#pragma once

#include <capnp/dynamic.h>

#include <optional>
#include <string>

#include "holdfast/engine.h"

namespace holdfast::server {

// Returns the request id in a call's arguments; an empty text if there is none.
std::string request_id_in(capnp::DynamicStruct::Reader arguments);

// Returns what to answer in place of `refusal` to a call with this request id, which is the engine's, if
// anything. Waits for a call under way that has the id.
std::optional<Error> of_repetition(Engine& engine, const std::string& request_id, const Error& refusal);

}  // namespace holdfast::server
