// Serves clients of Amazon SQS in both of its protocols, on the HTTP port.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "server/http/protocol.h"
#include "server/sqs/format/protocols.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/operations/sqs_call.h"

namespace holdfast::server::sqs {

// SqsProtocol is the protocol of one connection. Only the loop's thread uses it.
class SqsProtocol final : public HttpProtocol {
 public:
  // `shared` and `callers` must outlive it.
  SqsProtocol(Shared& shared, Callers& callers, const Peer& peer, bool tls);

  bool speaks(const HttpRequest& head) const override;
  std::optional<HttpResponse> refuse_stranger(const HttpRequest& head) const override;
  std::size_t most_body_bytes() const override { return limits::kRequestBytes; }
  HttpResponse refusal(const HttpRequest& head, const Error& error) const override;
  kj::Promise<HttpAnswer> answer(HttpRequest request, bool& may_be_given_up) override;

 private:
  // Returns the token whose holder signed the request, by the request's head alone; an empty text if nobody
  // needs a token.
  Outcome<std::string> token_named(const HttpRequest& head) const;
  // Returns the token whose holder signed the request, after checking the signature.
  Outcome<std::string> token_of(const HttpRequest& request) const;
  std::string base_url(const HttpRequest& request) const;
  Promised<Json> perform(std::shared_ptr<const Caller> caller, const HttpRequest& request,
                         const SqsRequest& asked);

  Shared& shared_;
  Callers& callers_;
  const State& state_;
  const std::string address_;
  const bool tls_;
};

// Returns a factory that makes a protocol for each connection. `shared` must outlive all of them.
HttpProtocolFactory protocol_factory(Shared& shared);

}  // namespace holdfast::server::sqs
