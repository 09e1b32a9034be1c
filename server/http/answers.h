// What the requests of one HTTP connection are answered, by whichever protocol of the port they are of.
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

// The loop's thread only.
class Answers {
 public:
  // `door` must outlive it. `tls`: whether the connection is encrypted.
  Answers(HttpDoor& door, const std::shared_ptr<Peer>& peer, bool tls);

  // The answer to a request whose head alone says that it gets no other one: its body is not read.
  std::optional<HttpResponse> refuse_unread(const HttpRequest& head, bool has_body) const;
  // Likewise, for a reason that the head does not know of.
  HttpResponse refusal(const HttpRequest& head, const HttpRefusal& why) const;
  // What the body of a request may have. A larger one is not read.
  std::size_t most_body_bytes(const HttpRequest& head) const;

  // `is_head`: whether the client does not want the body of what its GET is answered. Never fails. Dropping
  // the promise drops the call.
  kj::Promise<HttpAnswer> answer(HttpRequest request, bool is_head);

  // Lets the page of an origin that may do so read the answer, and no other page show that of a GET
  // (`is_read`).
  void allow(std::string_view origin, bool is_read, HttpResponse& response) const;

 private:
  kj::Promise<HttpAnswer> page(const std::string& path);

  HttpDoor& door_;
  const bool tls_;
  Callers callers_;
  HttpApi api_;
  const std::unique_ptr<HttpProtocol> other_;
};

}  // namespace holdfast::server
