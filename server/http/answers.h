// Answers the requests of one HTTP connection, whichever protocol of the port they belong to.
#pragma once

#include <kj/async.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "server/clients/peer.h"
#include "server/http/api.h"
#include "server/http/callers.h"
#include "server/http/exchange/exchange.h"
#include "server/http/protocol.h"

namespace holdfast::server {

class HttpDoor;

// Only the loop's thread uses it.
class Answers {
 public:
  // `door` must outlive it. `tls` says whether the connection is encrypted.
  Answers(HttpDoor& door, const std::shared_ptr<Peer>& peer, bool tls);

  // Returns the answer to a request whose head already determines it, so that the body is not read.
  std::optional<HttpResponse> refuse_unread(const HttpRequest& head, bool has_body) const;
  // Returns the answer that refuses a request without reading its body, for the reason `why`.
  HttpResponse refusal(const HttpRequest& head, const HttpRefusal& why) const;
  // Returns the most bytes that the body of a request may have. A larger body is not read.
  std::size_t most_body_bytes(const HttpRequest& head) const;
  // Returns whether only the whole request can show who sends it.
  bool is_known_by_its_body(const HttpRequest& head) const { return other_->speaks(head); }

  // Answers a request. `is_head` says that the client sent a HEAD, and `request` is the GET that it stands
  // for. `may_be_given_up`, which is false before, becomes true if the request has no effect before its
  // answer is there: a client that hangs up has stopped waiting for it. Never fails. Dropping the promise
  // drops a call that may be given up.
  kj::Promise<HttpAnswer> answer(HttpRequest request, bool is_head, bool& may_be_given_up);

  // Adds the headers that every answer has. A page of an allowed origin can read it. If `is_read` says that
  // the request is a GET, no page of another origin can embed it.
  void complete(std::string_view origin, bool is_read, HttpResponse& response) const;

 private:
  kj::Promise<HttpAnswer> page(const std::string& path);

  HttpDoor& door_;
  const bool tls_;
  Callers callers_;
  HttpApi api_;
  const std::unique_ptr<HttpProtocol> other_;
};

}  // namespace holdfast::server
