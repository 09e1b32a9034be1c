#include "engine/codec/dead_letters/failure.h"

#include <algorithm>

#include "engine/base/helpers/stack_traces/stack_trace.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/encoding/tagged.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Tags are never changed and never used again.
enum Tag : std::uint32_t {
  kCategory = 1,
  kReason = 2,
  kCode = 3,
  kStackTrace = 4,
  kNestedError = 5,  // one field each: code:bytes message
  kPartialOutput = 6,
};

}  // namespace

Failure bounded_failure(const Failure& failure) {
  return {.category = failure.category,
          .reason = bounded_text(failure.reason, limits::kReasonBytes),
          .code = failure.code,
          .stack_trace = bounded_stack_trace(failure.stack_trace, limits::kStackTraceBytes),
          .causes = failure.causes,
          .partial_output = bounded_text(failure.partial_output, limits::kPartialOutputBytes)};
}

Failure bounded_attempt_failure(const Failure& failure) {
  const auto causes =
      static_cast<std::ptrdiff_t>(std::min(failure.causes.size(), limits::kAttemptNestedErrors));
  return {.category = failure.category,
          .reason = bounded_text(failure.reason, limits::kAttemptReasonBytes),
          .code = failure.code,
          .stack_trace = bounded_stack_trace(failure.stack_trace, limits::kAttemptStackTraceBytes),
          .causes = {failure.causes.begin(), failure.causes.begin() + causes},
          .partial_output = bounded_text(failure.partial_output, limits::kAttemptPartialOutputBytes)};
}

std::size_t byte_size(const Failure& failure) {
  std::size_t bytes = failure.category.size() + failure.code.size() +
                      std::min(failure.reason.size(), limits::kReasonBytes) +
                      std::min(failure.stack_trace.size(), limits::kStackTraceBytes) +
                      std::min(failure.partial_output.size(), limits::kPartialOutputBytes);
  for (const NestedError& cause : failure.causes) bytes += cause.code.size() + cause.message.size();
  return bytes;
}

std::string encode_failure(const Failure& failure) {
  std::string out;
  tagged::put_text(out, kCategory, failure.category);
  tagged::put_text(out, kReason, failure.reason);
  tagged::put_text(out, kCode, failure.code);
  tagged::put_text(out, kStackTrace, failure.stack_trace);
  for (const auto& [code, message] : failure.causes) {
    std::string bytes;
    wire::put_bytes(bytes, code);
    bytes.append(message);
    tagged::put_text(out, kNestedError, bytes);
  }
  tagged::put_text(out, kPartialOutput, failure.partial_output);
  return out;
}

std::optional<Failure> decode_failure(std::string_view row) {
  Failure failure;
  bool whole = true;
  const bool decoded = tagged::for_each_field(row, [&](const tagged::Field& field) {
    switch (field.tag) {
      case kCategory:
        failure.category = field.value;
        return;
      case kReason:
        failure.reason = field.value;
        return;
      case kCode:
        failure.code = field.value;
        return;
      case kStackTrace:
        failure.stack_trace = field.value;
        return;
      case kNestedError: {
        wire::Reader reader(field.value);
        NestedError& error = failure.causes.emplace_back();
        error.code = reader.bytes();
        error.message = reader.rest();
        whole = whole && !reader.failed();
        return;
      }
      case kPartialOutput:
        failure.partial_output = field.value;
        return;
      default:
        return;
    }
  });
  return decoded && whole ? std::optional(std::move(failure)) : std::nullopt;
}

}  // namespace holdfast
