// Errors and the Result type that every public call returns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace holdfast {

// Why a call failed. The numeric values are part of the RPC protocol and never change meaning.
// error_table() gives each code's name, the `holdfast` command's exit status and the HTTP status.
enum class ErrorCode : std::uint16_t {
  kInternal = 1,           // a defect in Holdfast; please report it
  kInvalidArgument = 2,    // the message names the offending field
  kLimitExceeded = 3,      // the message names the limit (see limits.h)
  kQueueNotFound = 4,      // no queue of that name, or it was deleted
  kQueueExists = 5,        // create_queue with other options than the queue has
  kQueueInUse = 6,         // the queue is the dead letter queue of another one
  kMessageNotFound = 7,    // the message is gone: acknowledged, purged, or its queue deleted
  kReceiptStale = 8,       // the delivery that the receipt names is over: its lease ran out or it was settled
  kNoDeadLetterQueue = 9,  // reject on a queue that has nowhere to send to and does not discard
  kDeadLetterCycle = 10,   // the dead letter queues would form a cycle
  kDiskFull = 11,          // there is no space for the message
  kStorageFailed = 12,     // a write or fsync failed; the engine refuses work until it is reopened
  kCorruption = 13,        // stored bytes fail their checksum or do not decode
  kLocked = 14,            // another process has this data directory open
  kFormatTooNew = 15,      // the data directory was written by a newer Holdfast
  kClosed = 16,            // the engine, client or server is closing
  kUnavailable = 17,       // the server cannot be reached; the call had no effect
  // The connection broke after the call was sent: it may or may not have had its effect.
  kOutcomeUnknown = 18,
  kOverloaded = 19,          // the server is at a limit; try again later
  kPermissionDenied = 20,    // the caller was not granted this
  kTaskNotFound = 21,        // no redrive task of that id, or it ended long ago
  kFamilyNotFound = 22,      // no family of that name, or it was dropped
  kPreconditionFailed = 23,  // a condition of a transaction does not hold
  kQueuePaused = 24,         // sends to the queue are paused
  kQueueFull = 25,           // the queue has as many messages as it may have
  kCancelled = 26,           // the caller cancelled it before it began; it had no effect
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one sentence for a person, without the code's name

  friend bool operator==(const Error&, const Error&) = default;
};

// One row of the error table.
struct ErrorInfo {
  ErrorCode code;
  std::string_view name;  // "queue_not_found": stable, for logs, JSON and metrics
  int exit_status;        // of the `holdfast` command
  int http_status;
};

// Every code once, in ascending order.
std::span<const ErrorInfo> error_table();

// The row of `code`; a value outside the table gets kInternal's row.
const ErrorInfo& error_info(ErrorCode code);

// "queue_not_found: no queue named 'orders'"
std::string to_string(const Error& error);

// A value or an Error. It is a tl::expected whose rvalue `*` yields the value itself, not a
// reference into the dying temporary, so that `for (auto& d : *queue.receive(...))` is well defined
// in C++20.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  using Base = tl::expected<T, Error>;

 public:
  using Base::Base;
  Result(Base base) : Base(std::move(base)) {}

  T& operator*() & { return Base::operator*(); }
  const T& operator*() const& { return Base::operator*(); }
  T operator*() && { return std::move(*this).Base::operator*(); }
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
  using Base = tl::expected<void, Error>;

 public:
  using Base::Base;
  Result(Base base) : Base(std::move(base)) {}
};

// Shorthand for returning an error: `return fail(ErrorCode::kQueueNotFound, "...")`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace holdfast
