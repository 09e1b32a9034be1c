// POSTs JSON to a URL.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "schema/http/caller.h"

namespace holdfast::http {

// Calls as a Caller does.
class Poster {
 public:
  explicit Poster(Url url, Duration timeout = std::chrono::seconds(10), Resolve resolve = resolve_host);

  // Blocks until it is answered: the status, 200..299 if it was taken. kUnavailable if there is no answer
  // within the timeout. What the answer says besides is not read.
  Result<unsigned> post(const std::string& json);

  // From any thread: ends a call that is under way, and those to come, with kClosed.
  void cancel();

 private:
  std::string target_;
  Caller caller_;
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
