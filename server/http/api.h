// What a client of the HTTP API is answered: each request is one call of the protocol, which is dispatched as
// those that come by RPC are, with the same rights and limits.
#pragma once

#include <kj/async.h>

#include <memory>
#include <optional>
#include <string>

#include "server/access/sessions.h"
#include "server/clients/peer.h"
#include "server/events/event_log.h"
#include "server/http/callers.h"
#include "server/http/exchange/exchange.h"
#include "server/http/routes.h"

namespace holdfast::server {

// What all connections to the HTTP ports have in common, whatever their loops.
struct HttpCommon {
  explicit HttpCommon(Engine& engine) : events(engine) {}

  EventLog events;
  Sessions sessions;
};

// Of one connection. The loop's thread only.
class HttpApi {
 public:
  // `callers` and `common` must outlive it. `tls`: whether the connection is encrypted.
  HttpApi(Callers& callers, const std::shared_ptr<Peer>& peer, HttpCommon& common, bool tls)
      : peer_(peer), state_(peer->state()), callers_(callers), common_(common), tls_(tls) {}

  // Never fails. Dropping the promise drops the call.
  kj::Promise<HttpAnswer> answer(HttpRequest request);

  // The answer to a client without a token that is known here, where clients need one: what it has to say is
  // not even read.
  std::optional<HttpResponse> refuse_stranger(const HttpRequest& head) const;

  // The answer to the HEAD of a stream, of which it would get nothing. Nothing for other requests.
  static std::optional<HttpResponse> refuse_head(const HttpRequest& request);

  // Whether the client may see the numbers of the server; else what it is answered. Never fails.
  kj::Promise<std::optional<HttpResponse>> may_watch(const HttpRequest& request);

 private:
  // The token that the request is made with: that of its header, or of the session that its cookie names.
  // kPermissionDenied for a cookie that does not count here.
  Result<std::string> token_of(const HttpRequest& request) const;
  HttpAnswer answer_session(const HttpRequest& request);
  HttpAnswer sign_in(const HttpRequest& request);
  // Asks over the protocol's call whether the caller may, so that rights, limits, meters and log are those of
  // all calls.
  kj::Promise<HttpAnswer> call_events(std::shared_ptr<const Caller> caller, HttpRequest request);
  HttpAnswer stream_events(const HttpRequest& request);
  kj::Promise<HttpAnswer> call(std::shared_ptr<const Caller> caller, const Match& match, HttpRequest request);
  // What an error says to whom.
  HttpResponse refuse(const Error& error, bool has_token) const;

  const std::shared_ptr<Peer> peer_;
  State& state_;
  Callers& callers_;
  HttpCommon& common_;
  const bool tls_;
};

}  // namespace holdfast::server
