// Makes HTTP requests to other servers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "schema/http/lookup.h"
#include "schema/http/url.h"

namespace holdfast::http {

struct OutgoingRequest {
  std::string method;  // "POST"
  std::string target;  // path and query
  // Headers beside Host and those that tell the body's length.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

struct Answer {
  unsigned status = 0;
  std::string body = {};  // the beginning of the body
};

// Makes one call at a time, each over a connection of its own. Certificates are checked against those that
// the system trusts (OpenSSL's defaults, SSL_CERT_FILE and SSL_CERT_DIR).
class Client {
 public:
  // At most `body_bytes` of an answer's body are read. The target of the URL is not used.
  Client(Url url, Duration timeout, Resolve resolve = resolve_host, std::size_t body_bytes = 0);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Blocks until there is an answer, with whatever status. kUnavailable if there is none within the timeout,
  // which includes the lookup of the host.
  Result<Answer> call(const OutgoingRequest& request);

  // Ends a call that is under way, and all later calls, with kClosed. Thread-safe.
  void cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
