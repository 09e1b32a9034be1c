// The verbs of Client as calls that are yet to be made. Each takes the parameters of Broker's verb of that
// name, copies or moves them into the call, and returns a ClientCall of that verb's result.
#pragma once

#include "holdfast/broker.h"
#include "holdfast/client_call.h"
#include "holdfast/detail/verbs.h"
#include "holdfast/operations.h"

namespace holdfast {

namespace client {
class Caller;
}

// ClientVerbs is the argument of the function that Client::async_call() calls.
class ClientVerbs {
 public:
  explicit ClientVerbs(client::Caller& caller) : caller_(caller) {}

#define HOLDFAST_CLIENT_VERB(verb, takes, defaults)                                                      \
  ClientCall<detail::VerbAnswer<&Broker::verb>> verb HOLDFAST_DECLARED_##takes##_##defaults(verb) const; \
  static constexpr auto form_of(detail::Verb<&Broker::verb>) { return &ClientVerbs::verb; }
  HOLDFAST_VERBS(HOLDFAST_CLIENT_VERB)
#undef HOLDFAST_CLIENT_VERB

  ClientCall<Result<DrainStatus>> drain(DrainOptions options = {}) const;
  ClientCall<Result<DrainStatus>> drain_status(Duration wait = {}) const;
  ClientCall<Result<DrainStatus>> resume() const;

 private:
  client::Caller& caller_;
};

}  // namespace holdfast
