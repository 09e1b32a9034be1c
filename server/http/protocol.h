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

// Of one connection. The loop's thread only.
class HttpProtocol {
 public:
  virtual ~HttpProtocol() = default;

  // Whether the request is one of this protocol's. The other methods are for those alone.
  virtual bool speaks(const HttpRequest& head) const = 0;

  // The answer to a client that is not known here, where clients have to be: what it has to say is not even
  // read.
  virtual std::optional<HttpResponse> refuse_stranger(const HttpRequest& head) const = 0;

  // What the body of a request may have. A larger one is not read.
  virtual std::size_t most_body_bytes() const = 0;

  // The answer to a request that is not even read, for this error.
  virtual HttpResponse refusal(const HttpRequest& head, const Error& error) const = 0;

  // Never fails. Dropping the promise drops the call.
  virtual kj::Promise<HttpAnswer> answer(HttpRequest request) = 0;
};

// `callers` outlives what it makes.
using HttpProtocolFactory =
    std::function<std::unique_ptr<HttpProtocol>(Callers& callers, const Peer& peer, bool tls)>;

}  // namespace holdfast::server
