#include "server/sqs/protocol.h"

#include <chrono>
#include <utility>

#include "holdfast/limits.h"
#include "server/access/tokens.h"
#include "server/sqs/operations/operation_table.h"
#include "server/sqs/signature.h"

namespace holdfast::server::sqs {
namespace {

namespace http = boost::beast::http;

// This operation is the only one that waits.
constexpr std::string_view kReceive = "ReceiveMessage";

Fault fault_of(const kj::Exception& why) {
  const bool is_overloaded = why.getType() == kj::Exception::Type::OVERLOADED;
  return {is_overloaded ? FaultCode::kRequestThrottled : FaultCode::kInternalFailure,
          why.getDescription().cStr()};
}

// Makes the fault of a request that is refused by its head, or in the middle of its body: none of its
// parameters is known yet.
Fault fault_before_reading(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return {FaultCode::kMalformedInput, error.message};
    case ErrorCode::kLimitExceeded:
      return {FaultCode::kRequestTooLarge, error.message};
    default:
      return sqs::fault_of(error);
  }
}

// Lets an operation, which may make several calls, come to its end even if nobody waits for it any more.
Promised<Json> not_given_up(Promised<Json> output) {
  auto pending = kj::newPromiseAndFulfiller<Outcome<Json>>();
  output.then([&waiting = *pending.fulfiller](Outcome<Json> given) { waiting.fulfill(std::move(given)); })
      .detach([waiting = kj::mv(pending.fulfiller)](kj::Exception&& why) mutable {
        waiting->reject(kj::mv(why));
      });
  return kj::mv(pending.promise);
}

std::string cut(std::string_view text) {
  return std::string(text.substr(0, holdfast::limits::kConsumerBytes));
}

}  // namespace

SqsProtocol::SqsProtocol(Shared& shared, Callers& callers, const Peer& peer, bool tls)
    : shared_(shared),
      callers_(callers),
      state_(callers.state()),
      address_(peer.origin().address),
      tls_(tls) {}

bool SqsProtocol::speaks(const HttpRequest& head) const { return protocol_of(head).has_value(); }

Outcome<std::string> SqsProtocol::token_named(const HttpRequest& head) const {
  if (!callers_.are_controlled()) return std::string();
  const auto authorization = read_authorization(head);
  if (!authorization) {
    return refuse(FaultCode::kMissingAuthenticationToken,
                  "The request must be signed (AWS Signature Version 4, in the header Authorization).");
  }
  std::string secret = state_.options.tokens->secret_of(authorization->access_key_id);
  if (!secret.empty()) return secret;
  return refuse(
      FaultCode::kInvalidClientTokenId,
      "The security token included in the request is invalid: the access key id names no token that "
      "signs.");
}

Outcome<std::string> SqsProtocol::token_of(const HttpRequest& request) const {
  auto secret = token_named(request);
  if (!secret || secret->empty()) return secret;
  const auto checked =
      check_signature(request, *read_authorization(request), *secret, std::chrono::system_clock::now());
  if (!checked) return tl::unexpected(checked.error());
  return secret;
}

std::optional<HttpResponse> SqsProtocol::refuse_stranger(const HttpRequest& head) const {
  const auto token = token_named(head);
  if (token) return std::nullopt;
  return write_fault(*protocol_of(head), token.error());
}

HttpResponse SqsProtocol::refusal(const HttpRequest& head, const Error& error) const {
  return write_fault(*protocol_of(head), fault_before_reading(error));
}

std::string SqsProtocol::base_url(const HttpRequest& request) const {
  return (tls_ ? "https://" : "http://") + std::string(view(request[http::field::host])) + "/" +
         shared_.options.account + "/";
}

Promised<Json> SqsProtocol::perform(std::shared_ptr<const Caller> caller, const HttpRequest& request,
                                    const SqsRequest& asked) {
  auto call = std::make_unique<SqsCall>(SqsCall{
      .shared = shared_,
      .broker = BrokerCalls(std::move(caller)),
      .base_url = base_url(request),
      .consumer = {.instance = cut(address_), .version = cut(view(request[http::field::user_agent]))},
      .sender = callers_.are_controlled() ? read_authorization(request)->access_key_id : std::string(),
      .now = std::chrono::steady_clock::now(),
  });
  auto answer = operation_of(asked.operation->name)(*call, asked.input);
  return answer.attach(std::move(call));
}

kj::Promise<HttpAnswer> SqsProtocol::answer(HttpRequest request, bool& may_be_given_up) {
  const Protocol protocol = *protocol_of(request);
  const auto refused = [protocol](const Fault& fault) { return HttpAnswer(write_fault(protocol, fault)); };
  auto token = token_of(request);
  if (!token) return refused(token.error());
  auto asked = read_request(protocol, request);
  if (!asked) return refused(asked.error());
  const OperationShape& operation = *asked->operation;
  may_be_given_up = operation.name == kReceive;
  return kj::evalNow([&]() -> Promised<Json> {
           auto caller = callers_.caller_of(*token);
           if (!caller) return fail_with<Json>(sqs::fault_of(caller.error()));
           auto output = perform(*std::move(caller), request, *asked);
           return may_be_given_up ? kj::mv(output) : not_given_up(kj::mv(output));
         })
      .then([protocol, &operation, refused](const Outcome<Json>& output) {
        return output ? HttpAnswer(write_answer(protocol, operation, *output)) : refused(output.error());
      })
      .catch_([refused](kj::Exception&& why) { return refused(fault_of(why)); });
}

HttpProtocolFactory protocol_factory(Shared& shared) {
  return [&shared](Callers& callers, const Peer& peer, bool tls) -> std::unique_ptr<HttpProtocol> {
    return std::make_unique<SqsProtocol>(shared, callers, peer, tls);
  };
}

}  // namespace holdfast::server::sqs
