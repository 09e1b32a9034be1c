// AWS Signature Version 4, of requests that come (server/sqs) and of those that are made (server/archive).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::server::aws {

inline constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
inline constexpr std::string_view kTerminator = "aws4_request";

// What a key is for.
struct Scope {
  std::string date;  // "20150830"
  std::string region;
  std::string service;
};

// What is signed of a request.
struct SignedRequest {
  std::string method;
  std::string path;        // percent-encoded, in the way that the service has it
  std::string query = {};  // likewise, in order
  // Names in small letters, in their order; x-amz-date is one of them.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body_digest;  // SHA-256, in hexadecimal digits
};

// "host;x-amz-date"
std::string names_of(const SignedRequest& request);
std::string canonical_request(const SignedRequest& request);
std::string scope_text(const Scope& scope);
std::string signing_key(std::string_view secret, const Scope& scope);
// In hexadecimal digits.
std::string signature_of(const SignedRequest& request, const Scope& scope, std::string_view secret);
// What the header Authorization has then.
std::string authorization_of(const SignedRequest& request, const Scope& scope, std::string_view key_id,
                             std::string_view secret);

// All but letters, digits and "-._~".
std::string percent_encoded(std::string_view text);

}  // namespace holdfast::server::aws
