// Checks of what callers pass in. Each error names the field and the limit.
#pragma once

#include <cstddef>
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
Result<void> validate(const QueueOptions& options);
Result<void> validate(const Message& message);
Result<void> validate(const Rejection& rejection);
Result<void> validate(const Consumer& consumer);
// One that is imported. Its queues and ids may be of another engine.
Result<void> validate(const DeadLetter& letter);
Result<void> validate(const ReleaseOptions& options);
Result<void> validate(const RedriveOptions& options);
Result<void> validate(const Redaction& redaction);
Result<void> validate_actor(std::string_view actor);
Result<void> validate(const AutoRedrive& policy);
Result<void> validate(const FloodBrake& brake);
Result<void> validate(const AlertRules& rules);
// kInvalidArgument below the first, kLimitExceeded above the second.
Result<void> within(Duration value, Duration min, Duration max, std::string_view field);
// kLimitExceeded: "FIELD has SIZE UNIT, the limit is LIMIT".
Result<void> at_most(std::size_t size, std::size_t limit, std::string_view field,
                     std::string_view unit = "bytes");
Result<void> validate_lease(Duration lease);
Result<void> validate_delay(Duration delay);
// Whether there is something to do with a message that expires.
bool can_expire(const QueueOptions& options);
// At most limits::kDelayMax ahead; a past one is fine.
Result<void> validate_visible_at(Timestamp visible_at, Timestamp now);
Result<void> validate_wait(Duration wait);
// `count` of `what` ("messages", "receipts") in one call.
Result<void> validate_batch_entries(std::size_t count, std::string_view what);

// Of all `entries` of one call together. One by itself has its own limits.
Result<void> validate_batch_bytes(std::size_t bytes, std::size_t entries);

Result<void> validate_family_name(std::string_view name);
Result<void> validate_application_key(std::string_view key);
Result<void> validate_application_value(std::string_view value);

// Bodies and attributes of a message, as counted against limits::kBatchBytes.
std::size_t byte_size(std::string_view body, const Attributes& attributes);
std::size_t byte_size(const Message& message);

// `text`; of a longer one the beginning, and a mark that says how long it was, together at most `limit` bytes
// (which is at least 64). A character of UTF-8 is not cut in two.
std::string bounded_text(std::string_view text, std::size_t limit);

}  // namespace holdfast
