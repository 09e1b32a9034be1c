// AWS Signature Version 4, as the header Authorization has it: who signs a request, and whether it is theirs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/exchange/exchange.h"
#include "server/sqs/format/fault.h"

namespace holdfast::server::sqs {

struct Authorization {
  std::string access_key_id;
  std::string date;  // "20150830"
  std::string region;
  std::string service;
  std::vector<std::string> signed_headers;  // names in small letters, in the order of the header
  std::string signature;                    // in hexadecimal digits
};

// Nothing if the request is not signed so.
std::optional<Authorization> read_authorization(const HttpRequest& head);

// Whether the holder of the secret signed this request within limits::kClockSkew of `now`: its method, path,
// query, body, and the headers that it names, of which Host, X-Amz-Date and an X-Amz-Target that is there
// have to be some. The comparison takes as long for every signature. kSignatureDoesNotMatch
Outcome<void> check_signature(const HttpRequest& request, const Authorization& authorization,
                              std::string_view secret, std::chrono::system_clock::time_point now);

// Parts of these, which tests look at.

std::string canonical_request(const HttpRequest& request, const Authorization& authorization);
std::string signature_of(const HttpRequest& request, const Authorization& authorization,
                         std::string_view secret);

}  // namespace holdfast::server::sqs
