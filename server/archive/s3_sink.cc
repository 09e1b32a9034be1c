#include "server/archive/s3_sink.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

#include "engine/storage/files/archive_file.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "schema/http/http_client.h"
#include "schema/http/post.h"
#include "server/signing/aws_signature.h"
#include "server/signing/digests.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kAnswerBytes = 4096;
constexpr std::size_t kDateDigits = 8;  // the date in "20150830T123600Z"

std::string path_of(const S3Place& place, const ArchiveBatch& batch) {
  std::string path = "/" + place.bucket;
  std::string rest = place.prefix + "/" + batch.queue + "/" + batch.name + ".jsonl.zst";
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = std::min(rest.find('/', at), rest.size());
    if (end > at) path += "/" + aws::percent_encoded(rest.substr(at, end - at));
    at = end + 1;
  }
  return path;
}

// Returns the text of an element of XML without elements of its own.
std::string element(const std::string& xml, const std::string& name) {
  const std::size_t begin = xml.find("<" + name + ">");
  const std::size_t end = xml.find("</" + name + ">", begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return xml.substr(begin + name.size() + 2, end - begin - name.size() - 2);
}

std::string text_of(const http::Answer& answer) {
  std::string text = "answered " + std::to_string(answer.status);
  const std::string code = element(answer.body, "Code");
  if (code.empty()) return text;
  return text + " " + code + ": " + element(answer.body, "Message");
}

http::OutgoingRequest signed_put(const S3Place& place, const S3Options& options, const AwsCredentials& keys,
                                 const std::string& path, const std::string& bytes) {
  const std::string digest = sha256_hex(bytes);
  const std::string date = file_time(options.clock->now());
  aws::SignedRequest request{
      .method = "PUT",
      .path = path,
      .headers = {{"host", place.url.authority()}, {"x-amz-content-sha256", digest}, {"x-amz-date", date}},
      .body_digest = digest};
  if (!keys.session_token.empty()) request.headers.emplace_back("x-amz-security-token", keys.session_token);
  http::OutgoingRequest made{.method = request.method, .target = path, .body = bytes};
  made.headers.assign(request.headers.begin() + 1, request.headers.end());  // Host is sent anyway
  made.headers.emplace_back("Content-Type", "application/zstd");
  made.headers.emplace_back(
      "Authorization",
      aws::authorization_of(request,
                            {.date = date.substr(0, kDateDigits), .region = options.region, .service = "s3"},
                            keys.key_id, keys.secret));
  return made;
}

// Waits. Returns true as soon as it must stop.
bool stops_within(Duration time, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + time;
  sync::Mutex mutex;
  sync::ConditionVariable stopped;
  const std::stop_callback wake(stop, [&] {
    const sync::Lock lock(mutex);
    stopped.notify_one();
  });
  sync::Lock lock(mutex);  // after `wake`, whose end waits for a call that takes the mutex
  bool in_time = true;
  while (!stop.stop_requested() && in_time) in_time = stopped.wait_until(lock, end);
  return stop.stop_requested();
}

}  // namespace

S3Sink::S3Sink(S3Place place, S3Options options) : place_(std::move(place)), options_(std::move(options)) {}

Result<void> S3Sink::write(const ArchiveBatch& batch, const std::stop_token& stop) {
  const auto bytes = compress_lines(batch.lines);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto keys = options_.credentials();
  if (!keys) return tl::unexpected(keys.error());
  const std::string path = path_of(place_, batch);
  Duration wait = options_.backoff;
  for (int tried = 1;; ++tried, wait *= 2) {
    const auto answer = put(*keys, path, *bytes, stop);
    const auto status = answer.map([](const http::Answer& said) { return said.status; });
    const http::Verdict verdict = http::verdict_on(status);
    if (verdict == http::Verdict::kTaken) return {};
    if (!answer && answer.error().code == ErrorCode::kClosed) return tl::unexpected(answer.error());
    if (verdict == http::Verdict::kRefused || tried == options_.tries || stops_within(wait, stop))
      return fail(ErrorCode::kUnavailable, "the archive: " + place_.url.authority() + path + ": " +
                                               (answer ? text_of(*answer) : answer.error().message));
  }
}

Result<http::Answer> S3Sink::put(const AwsCredentials& keys, const std::string& path,
                                 const std::string& bytes, const std::stop_token& stop) const {
  http::Client client(place_.url, options_.timeout, http::resolve_host, kAnswerBytes);
  const std::stop_callback cancel(stop, [&client] { client.cancel(); });
  return client.call(signed_put(place_, options_, keys, path, bytes));
}

}  // namespace holdfast::server
