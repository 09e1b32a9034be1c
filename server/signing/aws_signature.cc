#include "server/signing/aws_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "server/signing/digests.h"

namespace holdfast::server::aws {
namespace {

std::string hmac(std::string_view key, std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(data.data()), data.size(), made.data(), &size);
  return {reinterpret_cast<const char*>(made.data()), size};
}

std::string header_of(const SignedRequest& request, std::string_view name) {
  const auto found = std::ranges::find(request.headers, name, [](const auto& each) { return each.first; });
  return found == request.headers.end() ? std::string() : found->second;
}

}  // namespace

std::string names_of(const SignedRequest& request) {
  std::string all;
  for (const auto& [name, value] : request.headers) all += (all.empty() ? "" : ";") + name;
  return all;
}

std::string canonical_request(const SignedRequest& request) {
  std::string all = request.method + "\n" + request.path + "\n" + request.query + "\n";
  for (const auto& [name, value] : request.headers) all.append(name).append(":").append(value).append("\n");
  return all + "\n" + names_of(request) + "\n" + request.body_digest;
}

std::string scope_text(const Scope& scope) {
  return scope.date + "/" + scope.region + "/" + scope.service + "/" + std::string(kTerminator);
}

std::string signing_key(std::string_view secret, const Scope& scope) {
  std::string key = hmac("AWS4" + std::string(secret), scope.date);
  key = hmac(key, scope.region);
  key = hmac(key, scope.service);
  return hmac(key, kTerminator);
}

std::string signature_of(const SignedRequest& request, const Scope& scope, std::string_view secret) {
  const std::string to_sign = std::string(kAlgorithm) + "\n" + header_of(request, "x-amz-date") + "\n" +
                              scope_text(scope) + "\n" + sha256_hex(canonical_request(request));
  return hex(hmac(signing_key(secret, scope), to_sign));
}

std::string authorization_of(const SignedRequest& request, const Scope& scope, std::string_view key_id,
                             std::string_view secret) {
  return std::string(kAlgorithm) + " Credential=" + std::string(key_id) + "/" + scope_text(scope) +
         ", SignedHeaders=" + names_of(request) + ", Signature=" + signature_of(request, scope, secret);
}

std::string percent_encoded(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

}  // namespace holdfast::server::aws
