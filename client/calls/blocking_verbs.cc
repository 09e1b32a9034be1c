// This file has the verbs that block. Each makes its call and waits for the answer.
#include "client/calls/call_sender.h"

namespace holdfast {

// HOLDFAST_BLOCKING defines a verb of the class HOLDFAST_CONCERN.
// NOLINTBEGIN(bugprone-macro-parentheses): a definition cannot be in parentheses
#define HOLDFAST_BLOCKING(verb, takes, defaults)                                            \
  detail::VerbAnswer<&Broker::verb> HOLDFAST_CONCERN::verb HOLDFAST_DEFINED_##takes(verb) { \
    return impl_->wait(verbs().verb HOLDFAST_PASSED_##takes(verb));                         \
  }
// NOLINTEND(bugprone-macro-parentheses)

#define HOLDFAST_CONCERN BlockingQueueVerbs
HOLDFAST_QUEUE_VERBS(HOLDFAST_BLOCKING)
#undef HOLDFAST_CONCERN
#define HOLDFAST_CONCERN BlockingMessageVerbs
HOLDFAST_MESSAGE_VERBS(HOLDFAST_BLOCKING)
#undef HOLDFAST_CONCERN
#define HOLDFAST_CONCERN BlockingDeadLetterVerbs
HOLDFAST_DEAD_LETTER_VERBS(HOLDFAST_BLOCKING)
#undef HOLDFAST_CONCERN
#define HOLDFAST_CONCERN BlockingOperationVerbs
HOLDFAST_OPERATION_VERBS(HOLDFAST_BLOCKING)
#undef HOLDFAST_CONCERN
#undef HOLDFAST_BLOCKING

Result<DrainStatus> Client::drain(DrainOptions options) { return impl_->wait(verbs().drain(options)); }

Result<DrainStatus> Client::drain_status(Duration wait) { return impl_->wait(verbs().drain_status(wait)); }

Result<DrainStatus> Client::resume() { return impl_->wait(verbs().resume()); }

}  // namespace holdfast
