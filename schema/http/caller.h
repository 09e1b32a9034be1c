// Makes HTTP requests of other servers.
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

struct Request {
  std::string method;  // "POST"
  std::string target;  // path and query
  std::vector<std::pair<std::string, std::string>> headers =
      {};  // beside Host and those of the body's length
  std::string body = {};
};

struct Answer {
  unsigned status = 0;
  std::string body = {};  // its beginning
};

// One call at a time, each over a connection of its own. Certificates are checked against those that the
// system trusts (OpenSSL's defaults, SSL_CERT_FILE and SSL_CERT_DIR).
class Caller {
 public:
  // Of an answer's body no more than `body_bytes` are read. Of the URL its target is not used.
  Caller(Url url, Duration timeout, Resolve resolve = resolve_host, std::size_t body_bytes = 0);
  Caller(Caller&&) noexcept;
  Caller& operator=(Caller&&) noexcept;
  ~Caller();

  // Blocks until it is answered, with whatever status. kUnavailable if there is no answer within the timeout,
  // which the lookup of the host is a part of.
  Result<Answer> call(const Request& request);

  // From any thread: ends a call that is under way, and those to come, with kClosed.
  void cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http
