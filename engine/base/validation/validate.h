// Checks what callers pass in. Each error names the field and the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/message.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"

namespace holdfast {

Result<void> validate_queue_name(std::string_view name);
Result<void> validate(const Message& message);
Result<void> validate(const Rejection& rejection);
Result<void> validate(const Consumer& consumer);
// Checks a dead letter that is imported. Its queues and ids may be those of another engine.
Result<void> validate(const DeadLetter& letter);
Result<void> validate(const ReleaseOptions& options);
Result<void> validate(const RedriveOptions& options);
Result<void> validate(const Redaction& redaction);
Result<void> validate_actor(std::string_view actor);
Result<void> validate(const AutoRedrive& policy);
Result<void> validate(const FloodBrake& brake);
Result<void> validate(const AlertRules& rules);
// Checks min <= value <= max. kInvalidArgument below `min`, kLimitExceeded above `max`.
Result<void> within(Duration value, Duration min, Duration max, std::string_view field);
Result<void> within(std::uint64_t value, std::uint64_t min, std::uint64_t max, std::string_view field);
// Checks a size. kLimitExceeded: "FIELD has SIZE UNIT, the limit is LIMIT".
Result<void> at_most(std::size_t size, std::size_t limit, std::string_view field,
                     std::string_view unit = "bytes");
Result<void> validate_lease(Duration lease);
Result<void> validate_delay(Duration delay);
// Returns whether the queue can do something with a message that expires: drop it, or dead-letter it.
bool can_expire(const QueueOptions& options);
// Checks that the time is at most limits::kDelayMax ahead. A time in the past is valid.
Result<void> validate_visible_at(Timestamp visible_at, Timestamp now);
Result<void> validate_wait(Duration wait);
// Checks the number of entries in one call. `what` says what they are, such as "messages" or "receipts".
Result<void> validate_batch_entries(std::size_t count, std::string_view what);

// Checks the bytes of all `entries` of one call together. A single entry has limits of its own.
Result<void> validate_batch_bytes(std::size_t bytes, std::size_t entries);

Result<void> validate_family_name(std::string_view name);
Result<void> validate_application_key(std::string_view key);
Result<void> validate_application_value(std::string_view value);

// Returns the bytes of a message's body and attributes, as they count against limits::kBatchBytes.
std::size_t byte_size(std::string_view body, const Attributes& attributes);
std::size_t byte_size(const Message& message);

// Returns `text`, or the beginning of a longer text and a mark that says how long it was, together at most
// `limit` bytes (at least 64). No character of UTF-8 is cut in two.
std::string bounded_text(std::string_view text, std::size_t limit);

}  // namespace holdfast
