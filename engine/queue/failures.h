// What consumers said of a message's failed deliveries: rows of their own while it lives, then part of its
// failure record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/queue/queue.h"
#include "holdfast/error.h"

namespace holdfast {

// A message's failed deliveries, as they were when somebody looked.
struct ToldFailures {
  Seq seq{};
  std::shared_ptr<const AttemptNotes> notes = {};  // null: none failed
  FailureSlots described = 0;
  Seq home{};
  std::vector<Failure> said = {};  // of each attempt that is kept; empty if nothing was said of any
  Result<void> read = {};          // whether that could be read
};

// With what was said in the open group; read_failures() reads the rest.
ToldFailures look_at_failures(const Queue& queue, Seq seq) HOLDFAST_REQUIRES(queue.mutex);
// Whether the message has not failed since.
bool is_current(const Queue& queue, const ToldFailures& told) HOLDFAST_REQUIRES(queue.mutex);

// Reads what was said. Without locks; the queue's last_failures_group() is committed. Gives the bytes.
std::size_t read_failures(const Store& store, QueueId queue, ToldFailures& told);

// What the last failure of the message is in its record: what the consumer said of it, or of a lease that ran
// out, who had it for how long; empty if it is neither, or none failed.
Failure last_failure(const ToldFailures& told);

// All failures that are kept, `now` being what they are by now: those that were told, and what came since.
// The last one without what was said of it, which the record itself says.
AttemptHistory attempts_of(const AttemptNotes& now, const ToldFailures& told);

// All failures that were told, the last one also with what was said of it: of a message that is still alive.
AttemptHistory all_attempts_of(const ToldFailures& told);

// A record of that cause and with that description; the rest is to be filled in.
FailureRecord record_of(DeathCause cause, Failure failure);

// For the rows; null if nothing is said.
std::shared_ptr<const std::string> encode_said(const Failure& failure);

}  // namespace holdfast
