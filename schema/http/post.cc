#include "schema/http/post.h"

#include "schema/http/status.h"

#include <utility>

namespace holdfast::http {

Poster::Poster(Url url, Duration timeout, Resolve resolve)
    : target_(url.target), client_(std::move(url), timeout, std::move(resolve)) {}

Result<unsigned> Poster::post(const std::string& json) {
  const auto answer = client_.call(
      {.method = "POST", .target = target_, .headers = {{"Content-Type", "application/json"}}, .body = json});
  if (!answer) return tl::unexpected(answer.error());
  return answer->status;
}

void Poster::cancel() { client_.cancel(); }

Verdict verdict_on(const Result<unsigned>& answer) {
  if (!answer) return answer.error().code == ErrorCode::kClosed ? Verdict::kRefused : Verdict::kAgain;
  const unsigned status = *answer;
  if (status >= 200 && status < 300) return Verdict::kTaken;
  const bool again = status >= http_status::kInternalError || status == http_status::kRequestTimeout ||
                     status == http_status::kTooEarly || status == http_status::kTooManyRequests;
  return again ? Verdict::kAgain : Verdict::kRefused;
}

std::string describe(const Result<unsigned>& answer) {
  return answer ? "answered " + std::to_string(*answer) : answer.error().message;
}

}  // namespace holdfast::http
