#include "server/calls/answer.h"

#include "server/calls/methods.h"

namespace holdfast::server {

Result<void> admit_answer(const AnyCall& call) {
  const bool shows_what_is_stored =
      find_method(call.method())->traits.shows_what_is_stored || call.only_looks();
  return shows_what_is_stored ? call.peer().admit_reply(0) : Result<void>();
}

void note_error(const AnyCall& call, const Error& error) { note_error(call.peer(), call.logged(), error); }

}  // namespace holdfast::server
