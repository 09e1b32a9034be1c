// trace.
#pragma once

#include "holdfast/error.h"
#include "holdfast/journal.h"
#include "holdfast/wire/trace.capnp.h"

namespace holdfast::convert {

void write(const MessageId& id, wire::TraceRequest::Builder to);
MessageId read(wire::TraceRequest::Reader from);

void write(const Result<Trace>& from, wire::TraceReply::Builder to);
Result<Trace> read(wire::TraceReply::Reader from);

}  // namespace holdfast::convert
