// The verbs that block. Each makes its call and waits for the answer.
#include "client/calls/caller.h"

namespace holdfast {

// NOLINTBEGIN(bugprone-macro-parentheses): a definition cannot be in parentheses
#define HOLDFAST_BLOCKING(verb, takes, defaults)                                  \
  detail::VerbAnswer<&Broker::verb> Client::verb HOLDFAST_DEFINED_##takes(verb) { \
    return impl_->wait(verbs().verb HOLDFAST_PASSED_##takes(verb));               \
  }
// NOLINTEND(bugprone-macro-parentheses)
HOLDFAST_VERBS(HOLDFAST_BLOCKING)
#undef HOLDFAST_BLOCKING

Result<DrainStatus> Client::drain(DrainOptions options) { return impl_->wait(verbs().drain(options)); }

Result<DrainStatus> Client::drain_status(Duration wait) { return impl_->wait(verbs().drain_status(wait)); }

Result<DrainStatus> Client::resume() { return impl_->wait(verbs().resume()); }

}  // namespace holdfast
