// POSTs JSON to a URL.
#pragma once

#include <memory>
#include <string>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "schema/http/lookup.h"
#include "schema/http/url.h"

namespace holdfast::http {

// One call at a time, each over a connection of its own. Certificates are checked against those that the
// system trusts (OpenSSL's defaults, SSL_CERT_FILE and SSL_CERT_DIR).
class Poster {
 public:
  explicit Poster(Url url, Duration timeout = std::chrono::seconds(10), Resolve resolve = resolve_host);
  Poster(Poster&&) noexcept;
  Poster& operator=(Poster&&) noexcept;
  ~Poster();

  // Blocks until it is answered: the status, 200..299 if it was taken. kUnavailable if there is no answer
  // within the timeout, which the lookup of the host is a part of. What the answer says besides is not read.
  Result<unsigned> post(const std::string& json);

  // From any thread: ends a call that is under way, and those to come, with kClosed.
  void cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// What a Poster's answer means.
enum class Verdict : std::uint8_t {
  kTaken,
  kAgain,    // it may be taken later: no answer, 408, 425, 429 or 5xx
  kRefused,  // it never will
};
Verdict verdict_on(const Result<unsigned>& answer);
// "answered 503", or the error.
std::string describe(const Result<unsigned>& answer);

}  // namespace holdfast::http
