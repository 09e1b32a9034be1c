// Errors, and the Result type that every public call returns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace holdfast {

// An ErrorCode says why a call failed. The numbers are part of the protocol and never change their meaning.
// error_table() has the name of each code, its HTTP status and the exit status of the `holdfast` command.
enum class ErrorCode : std::uint16_t {
  kInternal = 1,             // Holdfast has a defect; please report it
  kInvalidArgument = 2,      // an argument makes no sense; the error's message names the field
  kLimitExceeded = 3,        // an argument is past a limit (limits.h); the error's message names the limit
  kQueueNotFound = 4,        // there is no queue of that name, or it was deleted
  kQueueExists = 5,          // create_queue asked for other options than the queue has
  kQueueInUse = 6,           // other queues dead-letter to the queue, or park in it
  kMessageNotFound = 7,      // the message was acknowledged, moved or purged, or its queue was deleted
  kReceiptStale = 8,         // the delivery that the receipt names is over: settled, or its lease ran out
  kNoDeadLetterQueue = 9,    // reject on a queue that has no dead letter queue and does not discard
  kDeadLetterCycle = 10,     // the dead letter queues would form a cycle
  kDiskFull = 11,            // the device has no space left for this
  kStorageFailed = 12,       // a write or fsync failed; the engine refuses work until it is opened again
  kCorruption = 13,          // stored bytes fail their checksum or do not decode
  kLocked = 14,              // another process has this data directory open
  kFormatTooNew = 15,        // a newer Holdfast wrote the data directory
  kClosed = 16,              // the engine, client or server is closing
  kUnavailable = 17,         // the server cannot be reached; the call had no effect
  kOutcomeUnknown = 18,      // the call may have had its effect, or a part of it
  kOverloaded = 19,          // the server is at a limit; try again later
  kPermissionDenied = 20,    // the caller may not do this, or a queue does not take another's dead letters
  kTaskNotFound = 21,        // there is no redrive task of that id, or it ended long ago
  kFamilyNotFound = 22,      // there is no family of that name, or it was dropped
  kPreconditionFailed = 23,  // a condition of the call does not hold
  kQueuePaused = 24,         // sends to the queue are paused
  kQueueFull = 25,           // the queue has as many messages or bytes as its options allow
  kCancelled = 26,           // the caller cancelled the call before it began; it had no effect
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one sentence for a person, without the name of the code

  friend bool operator==(const Error&, const Error&) = default;
};

// ErrorInfo is one row of the error table.
struct ErrorInfo {
  ErrorCode code;
  std::string_view name;  // "queue_not_found": stable, for logs, JSON and metrics
  int exit_status;        // the exit status of the `holdfast` command
  int http_status;
};

// Returns the table of error codes: each code once, in ascending order.
std::span<const ErrorInfo> error_table();

// Returns the row of `code`. A value outside the table gets the row of kInternal.
const ErrorInfo& error_info(ErrorCode code);

// Writes the name of the code and the message: "queue_not_found: no queue named 'orders'".
std::string to_string(const Error& error);

// A Result is a value or an Error. Unlike its base's, the `*` of a temporary returns the value itself instead
// of a reference into the temporary. So `for (auto& d : *broker.receive(...))` is well defined in C++20.
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

// Makes an error to return: `return fail(ErrorCode::kQueueNotFound, "...")`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace holdfast
