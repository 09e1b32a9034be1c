// Converts parts of queue options between the API and the protocol.
#pragma once

#include <capnp/schema.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/options/queue_option.h"
#include "holdfast/error.h"
#include "holdfast/queue.h"
#include "holdfast/wire/queue.capnp.h"

namespace holdfast::convert {

void write(const JournalOptions& from, wire::JournalOptions::Builder to);
JournalOptions read(wire::JournalOptions::Reader from);

// Convert the policy of retries. read() returns kInvalidArgument for an unknown kind.
void write(const RetryPolicy& from, wire::RetryPolicy::Builder to);
Result<RetryPolicy> read(wire::RetryPolicy::Reader from);

// Requires that `to` has room for all tags. Reads at most one tag more than a queue may have, so that a queue
// with too many is refused.
void write(const Tags& from, capnp::List<wire::Tag>::Builder to);
Result<Tags> read(capnp::List<wire::Tag>::Reader from);

// Requires that `to` has room for all routes. Reads at most one route more than a queue may have, so that a
// queue with too many is refused.
void write(const std::vector<DeadLetterRoute>& from, capnp::List<wire::DeadLetterRoute>::Builder to);
std::vector<DeadLetterRoute> read(capnp::List<wire::DeadLetterRoute>::Reader from);

// read() refuses an unknown choice with kInvalidArgument, since it might be one that keeps somebody out.
void write(const DeadLetterSources& from, wire::DeadLetterSources::Builder to);
Result<DeadLetterSources> read(wire::DeadLetterSources::Reader from);

// Returns the bounds of the option that is this field, in the field's unit. The field is one of
// wire::QueueOptions, or the value that a field of wire::AlterQueueRequest sets. Nothing for an option
// without bounds, and for every other field.
std::optional<OptionBounds<std::int64_t>> bounds_of(capnp::StructSchema::Field field);

}  // namespace holdfast::convert
