// The verbs of Client as calls that are yet to be made. Each takes the parameters of Broker's verb of that
// name, copies or moves them into the call, and returns a ClientCall of that verb's result.
#pragma once

#include "holdfast/broker.h"
#include "holdfast/client_call.h"
#include "holdfast/detail/verbs.h"
#include "holdfast/operations.h"

namespace holdfast {

namespace client {
class CallSender;
}

#define HOLDFAST_CLIENT_VERB(verb, takes, defaults) \
  ClientCall<detail::VerbAnswer<&Broker::verb>> verb HOLDFAST_DECLARED_##takes##_##defaults(verb) const;

// The verbs are in a class for each concern. ClientVerbs has them all.
class ClientQueueVerbs {
 public:
  explicit ClientQueueVerbs(client::CallSender& sender) : sender_(sender) {}

  HOLDFAST_QUEUE_VERBS(HOLDFAST_CLIENT_VERB)

 protected:
  client::CallSender& sender_;
};

class ClientMessageVerbs : public ClientQueueVerbs {
 public:
  using ClientQueueVerbs::ClientQueueVerbs;
  HOLDFAST_MESSAGE_VERBS(HOLDFAST_CLIENT_VERB)
};

class ClientDeadLetterVerbs : public ClientMessageVerbs {
 public:
  using ClientMessageVerbs::ClientMessageVerbs;
  HOLDFAST_DEAD_LETTER_VERBS(HOLDFAST_CLIENT_VERB)
};

class ClientOperationVerbs : public ClientDeadLetterVerbs {
 public:
  using ClientDeadLetterVerbs::ClientDeadLetterVerbs;
  HOLDFAST_OPERATION_VERBS(HOLDFAST_CLIENT_VERB)

  ClientCall<Result<DrainStatus>> drain(DrainOptions options = {}) const;
  ClientCall<Result<DrainStatus>> drain_status(Duration wait = {}) const;
  ClientCall<Result<DrainStatus>> resume() const;
};

#undef HOLDFAST_CLIENT_VERB

// ClientVerbs is the argument of the function that Client::async_call() calls.
class ClientVerbs : public ClientOperationVerbs {
 public:
  using ClientOperationVerbs::ClientOperationVerbs;
};

namespace detail {

#define HOLDFAST_CLIENT_FORM(verb, takes, defaults)       \
  template <>                                             \
  struct FormOf<ClientVerbs, &Broker::verb> {             \
    static constexpr auto kFunction = &ClientVerbs::verb; \
  };
HOLDFAST_VERBS(HOLDFAST_CLIENT_FORM)
#undef HOLDFAST_CLIENT_FORM

}  // namespace detail
}  // namespace holdfast
