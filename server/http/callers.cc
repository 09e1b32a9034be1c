#include "server/http/callers.h"

#include <utility>

#include "schema/convert/values/error.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {

Callers::Callers(const std::shared_ptr<Peer>& peer)
    : state_(peer->state()),
      is_controlled_(state_.options.tokens != nullptr),
      root_(kj::heap<BrokerService>(peer, is_controlled_ ? std::make_shared<const Rights>() : nullptr)) {}

kj::Promise<Result<wire::Broker::Client>> Callers::broker_of(std::string token) {
  if (token.empty()) return Result<wire::Broker::Client>(root_);
  KJ_IF_MAYBE (broker, known_) {
    if (token == token_) return Result<wire::Broker::Client>(*broker);
  }
  auto request = root_.authenticateRequest();
  request.setToken(capnp::Text::Reader(token.c_str(), token.size()));
  return request.send().then([this, token = std::move(token)](auto reply) mutable {
    if (reply.isError()) return Result<wire::Broker::Client>(tl::unexpected(convert::read(reply.getError())));
    token_ = std::move(token);
    known_ = reply.getBroker();
    return Result<wire::Broker::Client>(reply.getBroker());
  });
}

}  // namespace holdfast::server
