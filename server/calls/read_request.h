// Reads what a call asks for, in the name of its caller.
//
// Handlers read request ids, actors and redactions only here. So a request id is always the caller's own, the
// audit names the caller, and what is hidden from the caller is left out of each answer.
#pragma once

#include <string>
#include <utility>

#include "holdfast/message.h"
#include "server/calls/call.h"
#include "server/calls/conversions.h"

namespace holdfast::server {

// Puts the caller into what it asks for: into the members `request_id`, `actor` and `redact`, whichever there
// are, also those of the members `options`, `part` and `selection`.
template <class Asked>
void name_caller(const Caller& caller, Asked& asked) {
  if constexpr (requires { asked.request_id = std::string(); })
    asked.request_id = caller.request_id(std::move(asked.request_id));
  if constexpr (requires { asked.actor = std::string(); }) asked.actor = caller.actor(std::move(asked.actor));
  if constexpr (requires { asked.redact = Redaction(); })
    asked.redact = caller.redaction(std::move(asked.redact));
  if constexpr (requires { asked.options; }) name_caller(caller, asked.options);
  if constexpr (requires { asked.part; }) name_caller(caller, asked.part);
  if constexpr (requires { asked.selection; }) name_caller(caller, asked.selection);
}

// Returns what convert::read() makes of the parameters, with the caller put into it.
template <class Params, class Reply>
auto read_request(Call<Params, Reply> call) {
  auto asked = convert::read(call.params());
  if constexpr (requires { asked.error(); }) {
    if (asked) name_caller(call->caller(), *asked);
  } else {
    name_caller(call->caller(), asked);
  }
  return asked;
}

}  // namespace holdfast::server
