#include "server/http/callers.h"

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/error_conversion.h"
#include "server/calls/direct_call.h"

namespace holdfast::server {

Callers::Callers(const std::shared_ptr<Peer>& peer)
    : state_(peer->state()),
      is_controlled_(state_.options.tokens != nullptr),
      root_(std::make_shared<const Caller>(peer,
                                           is_controlled_ ? std::make_shared<const Rights>() : nullptr)) {}

Result<std::shared_ptr<const Caller>> Callers::caller_of(const std::string& token) {
  return token.empty() ? root_ : sign_in(token);
}

Result<std::shared_ptr<const Caller>> Callers::sign_in(const std::string& token) {
  if (known_ && token == token_ && !known_->is_revoked()) return known_;
  return authenticate(token);
}

Result<std::shared_ptr<const Caller>> Callers::authenticate(const std::string& token) {
  DirectCall call(root_, "authenticate");
  call.asked<wire::AuthenticateRequest>().setToken({token.c_str(), token.size()});
  call.make_at_once();
  if (!call.given()) return tl::unexpected(convert::read(call.answer<wire::AuthenticateReply>().getError()));
  token_ = token;
  known_ = call.given();
  return known_;
}

}  // namespace holdfast::server
