// POSTs JSON to a URL.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "schema/http/http_client.h"

namespace holdfast::http {

// Posts JSON by means of a Client.
class Poster {
 public:
  explicit Poster(Url url, Duration timeout = std::chrono::seconds(10), Resolve resolve = resolve_host);

  // Blocks until there is an answer, and returns its status: 200 to 299 if the JSON was accepted.
  // kUnavailable if there is no answer within the timeout. The rest of the answer is not read.
  Result<unsigned> post(const std::string& json);

  // Ends a call that is under way, and all later calls, with kClosed. Thread-safe.
  void cancel();

 private:
  std::string target_;
  Client client_;
};

// Verdict is the meaning of a Poster's answer.
enum class Verdict : std::uint8_t {
  kTaken,
  kAgain,    // it may be accepted later: there was no answer, or 408, 425, 429 or 5xx
  kRefused,  // it will never be accepted
};
Verdict verdict_on(const Result<unsigned>& answer);
// Describes an answer: "answered 503", or the error.
std::string describe(const Result<unsigned>& answer);

}  // namespace holdfast::http
