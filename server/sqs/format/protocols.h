// Requests and answers in the two protocols of Amazon SQS, between their bytes and one form that both have in
// common: an object with the members of the operation's shape.
//
//   awsJson 1.0   POST /  X-Amz-Target: AmazonSQS.SendMessage      {"QueueUrl": "…", "MessageBody": "…"}
//   query         POST /  Action=SendMessage&QueueUrl=…&… <SendMessageResponse>…</SendMessageResponse>
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/exchange/exchange.h"
#include "server/sqs/format/fault.h"
#include "server/sqs/format/shapes.h"

namespace holdfast::server::sqs {

enum class Protocol : std::uint8_t { kJson, kQuery };

// Nothing if the request is not one of SQS's.
std::optional<Protocol> protocol_of(const HttpRequest& head);

struct Request {
  const OperationShape* operation = nullptr;
  Json input = {};  // as the operation's shape says
};

// kInvalidAction, kMalformedInput, kMissingParameter; kInvalidParameterValue for a number that is none.
Outcome<Request> read_request(Protocol protocol, const HttpRequest& request);

// `output`: as the operation's shape says; members that are empty are left out.
HttpResponse write_answer(Protocol protocol, const OperationShape& operation, const Json& output);
HttpResponse write_fault(Protocol protocol, const Fault& fault);

// Parts of these, which tests look at.

using Form = std::map<std::string, std::string, std::less<>>;
// application/x-www-form-urlencoded. Nothing if it is badly encoded.
std::optional<Form> parse_form(std::string_view body);
Outcome<Json> read_form(const Form& form, const Shape& structure);
std::string write_xml(const Shape& structure, const Json& value);
// Checks what an object of JSON says against a shape, and leaves out what the shape has not.
Outcome<Json> read_object(const Json& from, const Shape& structure);

}  // namespace holdfast::server::sqs
