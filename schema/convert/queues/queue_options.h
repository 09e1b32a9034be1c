// What queue options are made of.
#pragma once

#include "holdfast/queue.h"
#include "holdfast/wire/queue.capnp.h"

namespace holdfast::convert {

// kInvalidArgument for a kind that is not known.
void write(const JournalOptions& from, wire::JournalOptions::Builder to);
JournalOptions read(wire::JournalOptions::Reader from);

void write(const RetryPolicy& from, wire::RetryPolicy::Builder to);
Result<RetryPolicy> read(wire::RetryPolicy::Reader from);

Result<ExpiryPolicy> read(wire::ExpiryPolicy from);
Result<OverflowPolicy> read(wire::OverflowPolicy from);

// `to` has room for them. Reads at most one tag more than a queue may have: enough to be refused for it.
void write(const Tags& from, capnp::List<wire::Tag>::Builder to);
Result<Tags> read(capnp::List<wire::Tag>::Reader from);

}  // namespace holdfast::convert
