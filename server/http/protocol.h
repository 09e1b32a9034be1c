// Another protocol on the HTTP port, beside the API of routes.h.
#pragma once

#include <kj/async.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "server/http/callers.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// HttpProtocol is the protocol of one connection. Only the loop's thread uses it.
class HttpProtocol {
 public:
  virtual ~HttpProtocol() = default;

  // Returns whether the request is one of this protocol's. The other functions may be called only for such
  // requests.
  virtual bool speaks(const HttpRequest& head) const = 0;

  // Returns the answer to a client that is unknown although clients must be known: its request is not even
  // read.
  virtual std::optional<HttpResponse> refuse_stranger(const HttpRequest& head) const = 0;

  // Returns the most bytes that the body of a request may have. A larger body is not read.
  virtual std::size_t most_body_bytes() const = 0;

  // Returns the answer to a request that is not even read because of this error.
  virtual HttpResponse refusal(const HttpRequest& head, const Error& error) const = 0;

  // Answers a request. Answers::answer says what `may_be_given_up` means. Never fails.
  virtual kj::Promise<HttpAnswer> answer(HttpRequest request, bool& may_be_given_up) = 0;
};

// `callers` must outlive the protocol that is made.
using HttpProtocolFactory =
    std::function<std::unique_ptr<HttpProtocol>(Callers& callers, const Peer& peer, bool tls)>;

}  // namespace holdfast::server
