// Answers clients of the HTTP API. Each request is one call of the protocol, and is dispatched with the same
// rights and limits as calls that come by RPC.
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

// All connections to the HTTP ports share one HttpCommon, on whatever loops they are.
struct HttpCommon {
  explicit HttpCommon(Engine& engine) : events(engine) {}

  EventLog events;
  Sessions sessions;
};

// HttpApi is the API of one connection. Only the loop's thread uses it.
class HttpApi {
 public:
  // `callers` and `common` must outlive it. `tls` says whether the connection is encrypted.
  HttpApi(Callers& callers, HttpCommon& common, bool tls)
      : state_(callers.state()), callers_(callers), common_(common), tls_(tls) {}

  // Answers a request. Answers::answer says what `may_be_given_up` means. Never fails.
  kj::Promise<HttpAnswer> answer(HttpRequest request, bool& may_be_given_up);

  // Returns the answer to a client that shows no known token although clients need one: the body of its
  // request is not even read.
  std::optional<HttpResponse> refuse_stranger(const HttpRequest& head) const;

  // Returns the answer to the HEAD of a stream, of which the client would get nothing; nothing for other
  // requests.
  static std::optional<HttpResponse> refuse_head(const HttpRequest& request);

  // Returns nothing if the client may see the server's metrics, or else the answer that refuses them.
  std::optional<HttpResponse> refuse_watcher(const HttpRequest& request);

 private:
  // Returns the token of the request: that of its header, or that of the session that its cookie names.
  // kPermissionDenied for a cookie that does not count here.
  Result<std::string> token_of(const HttpRequest& request) const;
  // Returns the caller who shows this token. With that of a session it is the caller only until the session
  // ends: what goes on for long ends then too.
  Result<std::shared_ptr<const Caller>> caller_of(const HttpRequest& request, const std::string& token);
  HttpAnswer answer_session(const HttpRequest& request);
  HttpAnswer sign_in(const HttpRequest& request);
  // Asks with a call of the protocol whether the caller may listen to events, so that rights, limits, metrics
  // and the log apply as for all calls.
  kj::Promise<HttpAnswer> call_events(std::shared_ptr<const Caller> caller, HttpRequest request);
  HttpAnswer stream_events(std::shared_ptr<const Caller> caller, const HttpRequest& request);
  kj::Promise<HttpAnswer> call(std::shared_ptr<const Caller> caller, const Match& match, HttpRequest request);
  // Makes the answer for an error. It depends on whether the client has shown a token.
  HttpResponse refuse(const Error& error, bool has_token) const;

  const State& state_;
  Callers& callers_;
  HttpCommon& common_;
  const bool tls_;
};

}  // namespace holdfast::server
