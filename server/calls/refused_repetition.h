// What is said to a call that its caller's rights do not allow, while it may be the repetition of one that
// had its effect when they did.
//
// A refusal means that nothing was done, which of a repetition only the request id can tell. So the id is
// looked up first: where it was used, the outcome is unknown to who asks. What the first call was answered is
// for those alone who have the right to make it. That the id is in use tells nothing new: whoever may make
// any call with a request id is told so of each id that another call was made with. Who was granted nothing
// is told nothing.
#pragma once

#include <capnp/dynamic.h>

#include <optional>
#include <string>

#include "holdfast/engine.h"

namespace holdfast::server {

// The request id in a call's arguments; empty if there is none.
std::string request_id_in(capnp::DynamicStruct::Reader arguments);

// What to say instead of `refusal`, if anything, to a call with this request id. Waits for a call under way
// that has the id.
std::optional<Error> of_repetition(Engine& engine, const std::string& request_id, const Error& refusal);

}  // namespace holdfast::server
