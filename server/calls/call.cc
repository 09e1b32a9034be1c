#include "server/calls/call.h"

namespace holdfast::server {

void AnyCall::begin() {
  logged_ = peer().begin_call(method_);
  in_flight_.emplace(caller_->shared_peer(), logged_);
}

}  // namespace holdfast::server
