#include "server/calls/call.h"

#include "engine/base/helpers/check.h"

namespace holdfast::server {

void AnyCall::begin() {
  logged_ = peer().begin_call(name_);
  in_flight_.emplace(caller_->shared_peer(), logged_);
}

Result<void> AnyCall::admit() {
  HOLDFAST_CHECK(admission_ == nullptr, "a call is admitted once");
  auto admitted = peer().admit();
  if (!admitted) return tl::unexpected(admitted.error());
  admission_ = *std::move(admitted);
  return {};
}

Result<void> AnyCall::admit_send(std::size_t bytes) {
  HOLDFAST_CHECK(admission_ != nullptr, "a call that sends messages is admitted");
  return admission_->add_send_bytes(bytes);
}

void AnyCall::end() {
  admission_.reset();
  in_flight_.reset();
}

}  // namespace holdfast::server
