// Converts messageHistory between the API and the protocol.
#pragma once

#include "holdfast/error.h"
#include "holdfast/journal.h"
#include "holdfast/wire/message_history.capnp.h"

namespace holdfast::convert {

void write(const MessageId& id, wire::MessageHistoryRequest::Builder to);
MessageId read(wire::MessageHistoryRequest::Reader from);

void write(const Result<MessageHistory>& from, wire::MessageHistoryReply::Builder to);
Result<MessageHistory> read(wire::MessageHistoryReply::Reader from);

}  // namespace holdfast::convert
