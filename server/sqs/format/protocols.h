// Converts requests and answers between the two protocols of Amazon SQS and one form that both have in
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

// Returns nothing if the request is not one of SQS's.
std::optional<Protocol> protocol_of(const HttpRequest& head);

struct SqsRequest {
  const OperationShape* operation = nullptr;
  Json input = {};  // in the form of the operation's shape
};

// Reads a request. kInvalidAction, kMalformedInput, kMissingParameter; kInvalidParameterValue for a number
// that does not parse, and for a parameter that a form has twice.
Outcome<SqsRequest> read_request(Protocol protocol, const HttpRequest& request);

// Writes an answer. `output` has the form of the operation's shape; members that are empty are left out.
HttpResponse write_answer(Protocol protocol, const OperationShape& operation, const Json& output);
HttpResponse write_fault(Protocol protocol, const Fault& fault);

// Parts of the functions of this file, for tests.

using Form = std::map<std::string, std::string, std::less<>>;
// Reads application/x-www-form-urlencoded. kMalformedInput if it is badly encoded; kInvalidParameterValue for
// a parameter that stands there twice.
Outcome<Form> parse_form(std::string_view body);
Outcome<Json> read_form(const Form& form, const Shape& structure);
std::string write_xml(const Shape& structure, const Json& value);
// Checks an object of JSON against a shape, and leaves out members that the shape does not have.
Outcome<Json> read_object(const Json& from, const Shape& structure);

}  // namespace holdfast::server::sqs
