// AWS Signature Version 4 in the header Authorization: who signs a request, and whether the signature is
// theirs.
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
  std::vector<std::string> signed_headers;  // names in lower case, in the order of the header
  std::string signature;                    // in hexadecimal digits
};

// Returns nothing if the request is not signed in this way.
std::optional<Authorization> read_authorization(const HttpRequest& head);

// Checks whether the holder of the secret signed this request within limits::kClockSkew of `now`. The
// signature covers the method, path, query and body, and the headers that it names; Host, X-Amz-Date and an
// X-Amz-Target, if there is one, must be among them. The comparison takes equally long for every signature.
// kSignatureDoesNotMatch.
Outcome<void> check_signature(const HttpRequest& request, const Authorization& authorization,
                              std::string_view secret, std::chrono::system_clock::time_point now);

// Parts of the functions of this file, for tests.

std::string canonical_request(const HttpRequest& request, const Authorization& authorization);
std::string signature_of(const HttpRequest& request, const Authorization& authorization,
                         std::string_view secret);

}  // namespace holdfast::server::sqs
