// These types hold what consumers said of a message's failed deliveries. While the message lives, that lies
// in rows of its own; later it is part of the failure record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/queue/queue.h"
#include "holdfast/error.h"

namespace holdfast {

// ToldFailures has the failed deliveries of a message, as they were when look_at_failures() looked.
struct ToldFailures {
  Seq seq{};
  std::shared_ptr<const AttemptNotes> notes = {};  // null if no delivery failed
  FailureSlots described = 0;
  Seq home{};
  std::vector<Failure> said = {};  // for each attempt that is kept; empty if nothing was said of any
  Result<void> read = {};          // whether `said` could be read
};

// Returns the failed deliveries of a message, with what was said in the open group. read_failures() reads the
// rest.
ToldFailures look_at_failures(const Queue& queue, Seq seq) HOLDFAST_REQUIRES(queue.mutex);
// Returns whether the message has not failed since `told` was made.
bool is_current(const Queue& queue, const ToldFailures& told) HOLDFAST_REQUIRES(queue.mutex);

// Reads what was said into `told`, and returns its bytes. An error is in `told.read`. The caller holds no
// lock, and the group FailureWrites::last_group() of the queue is committed.
std::size_t read_failures(const Store& store, QueueId queue, ToldFailures& told);

// Returns what a record says of the message's last failure: what the consumer said of it, or, of a lease that
// ran out, who held it for how long. Returns an empty failure if it is neither, or if no delivery failed.
Failure last_failure(const ToldFailures& told);

// Returns all attempts that are kept. `now` are the notes as they are by now; what was said comes from
// `told`. The last attempt is without what was said of it, because the record itself says that.
AttemptHistory attempts_of(const AttemptNotes& now, const ToldFailures& told);

// Returns all attempts of `told`, including what was said of the last one. It is for a message that is still
// alive.
AttemptHistory all_attempts_of(const ToldFailures& told);

// Makes a record of that cause with that description. The caller fills in the rest.
FailureRecord record_of(DeathCause cause, Failure failure);

// Encodes what was said for its row. Returns null if nothing was said.
std::shared_ptr<const std::string> encode_said(const Failure& failure);

}  // namespace holdfast
