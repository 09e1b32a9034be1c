// What a client of the HTTP API is answered: each request is one call of the protocol, made over the same
// code as those that come by RPC, with the same rights and limits.
#pragma once

#include <kj/async.h>

#include <memory>
#include <optional>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/clients/peer.h"
#include "server/http/exchange.h"
#include "server/http/routes.h"

namespace holdfast::server {

// Of one connection. The loop's thread only.
class HttpApi {
 public:
  explicit HttpApi(const std::shared_ptr<Peer>& peer);

  // Never fails. Dropping the promise drops the call.
  kj::Promise<HttpAnswer> answer(HttpRequest request);

  // The answer to a client without a token that is known here, where clients need one: what it has to say is
  // not even read.
  std::optional<HttpResponse> refuse_stranger(const HttpRequest& head) const;

  // Whether the client may see the numbers of the server; else what it is answered. Never fails.
  kj::Promise<std::optional<HttpResponse>> may_watch(const HttpRequest& request);

 private:
  // The broker that answers whoever shows this token; without one, the one that a client gets before it shows
  // any.
  kj::Promise<Result<wire::Broker::Client>> broker_of(std::string token);
  kj::Promise<HttpAnswer> call(wire::Broker::Client broker, const Match& match, const HttpRequest& request);
  // What an error says to whom.
  HttpResponse refuse(const Error& error, bool has_token) const;

  const State& state_;
  const bool is_controlled_;  // clients have tokens to show
  wire::Broker::Client root_;
  // The last token that was shown, and its broker.
  std::string token_;
  kj::Maybe<wire::Broker::Client> known_;
};

}  // namespace holdfast::server
