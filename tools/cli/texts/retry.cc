#include "tools/cli/texts/retry.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "tools/cli/texts/duration.h"

namespace holdfast::command {
namespace {

constexpr std::string_view kJitter = "jitter=";
constexpr std::string_view kToTail = "to=tail";
constexpr std::array kKinds = {RetryKind::kImmediate, RetryKind::kFixed, RetryKind::kExponential,
                               RetryKind::kStages};

tl::unexpected<Error> bad_retry(std::string_view text) {
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) +
                  "' is not a retry policy such as immediate, fixed:5s, exponential:1s:10m:jitter=0.2 or "
                  "stages:1s:10s:5m:to=tail");
}

// Cuts off what is before the next colon, and returns it.
std::string_view next_part(std::string_view& rest) {
  const auto end = rest.find(':');
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

// Puts the waits where this kind of policy has them.
bool set_waits(RetryPolicy& retry, std::vector<Duration> waits) {
  switch (retry.kind) {
    case RetryKind::kImmediate:
      return waits.empty();
    case RetryKind::kFixed:
      if (waits.size() != 1) return false;
      retry.base = waits[0];
      return true;
    case RetryKind::kExponential:
      if (waits.size() != 2) return false;
      retry.base = waits[0];
      retry.cap = waits[1];
      return true;
    case RetryKind::kStages:
      retry.stages = std::move(waits);
      return !retry.stages.empty();
  }
  return false;
}

}  // namespace

std::string_view to_string(RetryKind kind) {
  switch (kind) {
    case RetryKind::kImmediate:
      return "immediate";
    case RetryKind::kFixed:
      return "fixed";
    case RetryKind::kExponential:
      return "exponential";
    case RetryKind::kStages:
      return "stages";
  }
  return "unknown";
}

Result<RetryPolicy> parse_retry(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest);
  RetryPolicy retry;
  bool known = false;
  for (const RetryKind kind : kKinds) {
    if (to_string(kind) != name) continue;
    retry.kind = kind;
    known = true;
  }
  if (!known || text.ends_with(':')) return bad_retry(text);
  std::vector<Duration> waits;
  while (!rest.empty()) {
    std::string_view part = next_part(rest);
    if (part == kToTail && rest.empty()) {
      retry.to = ReturnTo::kTail;
      break;
    }
    if (part.starts_with(kJitter) && (rest.empty() || rest == kToTail)) {
      part.remove_prefix(kJitter.size());
      const auto [end, error] = std::from_chars(part.begin(), part.end(), retry.jitter);
      if (error != std::errc{} || end != part.end()) return bad_retry(text);
      continue;
    }
    const auto wait = parse_duration(part);
    if (!wait) return bad_retry(text);
    waits.push_back(*wait);
  }
  if (!set_waits(retry, std::move(waits))) return bad_retry(text);
  return retry;
}

std::string format_retry(const RetryPolicy& retry) {
  std::string text(to_string(retry.kind));
  if (retry.kind == RetryKind::kFixed || retry.kind == RetryKind::kExponential) {
    text += ':' + format_duration(retry.base);
  }
  if (retry.kind == RetryKind::kExponential) text += ':' + format_duration(retry.cap);
  for (const Duration stage : retry.stages) text += ':' + format_duration(stage);
  if (retry.jitter > 0) text += fmt::format(":{}{}", kJitter, retry.jitter);
  if (retry.to == ReturnTo::kTail) text += fmt::format(":{}", kToTail);
  return text;
}

}  // namespace holdfast::command
