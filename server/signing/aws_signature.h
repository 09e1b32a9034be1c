// AWS Signature Version 4, for requests that come (server/sqs) and for those that are made (server/archive).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::server::aws {

inline constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
inline constexpr std::string_view kTerminator = "aws4_request";

// A Scope says what a signing key is valid for.
struct Scope {
  std::string date;  // "20150830"
  std::string region;
  std::string service;
};

// SignedRequest has the parts of a request that are signed.
struct SignedRequest {
  std::string method;
  std::string path;        // percent-encoded in the way that the service requires
  std::string query = {};  // percent-encoded, with its parameters in order
  // `headers` are the headers, sorted by name. Names are in lower case, and x-amz-date is one of them.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body_digest;  // SHA-256 in hexadecimal digits
};

// Returns the names of the signed headers: "host;x-amz-date".
std::string names_of(const SignedRequest& request);
std::string canonical_request(const SignedRequest& request);
std::string scope_text(const Scope& scope);
std::string signing_key(std::string_view secret, const Scope& scope);
// Returns the signature in hexadecimal digits.
std::string signature_of(const SignedRequest& request, const Scope& scope, std::string_view secret);
// Returns the value of the header Authorization.
std::string authorization_of(const SignedRequest& request, const Scope& scope, std::string_view key_id,
                             std::string_view secret);

// Percent-encodes all characters but letters, digits and "-._~".
std::string percent_encoded(std::string_view text);

}  // namespace holdfast::server::aws
