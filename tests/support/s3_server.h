// S3Server is a bucket on the loopback. It takes objects that are signed correctly, and keeps them.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

#include "server/signing/aws_signature.h"
#include "server/signing/digests.h"
#include "tests/support/http_server.h"

namespace holdfast::testing {

class S3Server {
 public:
  static constexpr const char* kKeyId = "AKIAIOSFODNN7EXAMPLE";
  static constexpr const char* kSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
  static constexpr const char* kRegion = "eu-central-1";

  S3Server() {
    http_.respond([this](const HttpRequest& request) { return take(request); });
  }

  HttpServer& http() { return http_; }
  // Returns the bytes of the objects by their paths.
  std::map<std::string, std::string> objects() {
    const std::scoped_lock lock(mutex_);
    return objects_;
  }

 private:
  using Headers = std::map<std::string, std::string>;

  static HttpReply refusal(const std::string& code, const std::string& message) {
    return {403, "<?xml version=\"1.0\"?>\n<Error><Code>" + code + "</Code><Message>" + message +
                     "</Message></Error>"};
  }

  // The headers by their names in lower case.
  static Headers headers_of(std::istringstream& head) {
    Headers headers;
    for (std::string line; std::getline(head, line);) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      std::string name = line.substr(0, colon);
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
      line.erase(line.find_last_not_of('\r') + 1);
      headers[name] = line.substr(colon + 2);
    }
    return headers;
  }

  static std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) return {};
    const std::size_t from = at + begin.size();
    return text.substr(from, text.find(end, from) - from);
  }

  HttpReply take(const HttpRequest& request) {
    std::istringstream head(request.head);
    std::string method;
    std::string path;
    std::string rest;
    head >> method >> path;
    std::getline(head, rest);
    Headers headers = headers_of(head);
    const std::string& said = headers["authorization"];
    if (headers["x-amz-content-sha256"] != server::sha256_hex(request.body))
      return refusal("XAmzContentSHA256Mismatch", "The body is another one.");
    server::aws::SignedRequest made{
        .method = method, .path = path, .body_digest = headers["x-amz-content-sha256"]};
    std::istringstream names(between(said, "SignedHeaders=", ","));
    for (std::string name; std::getline(names, name, ';');) made.headers.emplace_back(name, headers[name]);
    const server::aws::Scope scope{
        .date = headers["x-amz-date"].substr(0, 8), .region = kRegion, .service = "s3"};
    const std::string credential = std::string(kKeyId) + "/" + server::aws::scope_text(scope);
    if (between(said, "Credential=", ",") != credential)
      return refusal("InvalidAccessKeyId", "The key does not exist, or is for another place.");
    if (between(said, "Signature=", ",") != server::aws::signature_of(made, scope, kSecret))
      return refusal("SignatureDoesNotMatch", "The signature is another one.");
    const std::scoped_lock lock(mutex_);
    objects_[path] = request.body;
    return {};
  }

  std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  HttpServer http_;  // the last member: its thread ends before what it uses
};

}  // namespace holdfast::testing
