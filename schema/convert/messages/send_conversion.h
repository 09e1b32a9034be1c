// Converts sendBatch between the API and the protocol.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/wire/message.capnp.h"

namespace holdfast::convert {

struct SendCall {
  std::string_view queue;  // a view into the request
  std::vector<Message> messages;
  SendOptions options;
};

// Checks what one request may carry. kLimitExceeded past limits::kBatchEntries or limits::kBatchBytes.
Result<void> check_batch(std::span<const Message> messages);

// Returns how many words a request with these messages takes, so that it has room in one piece and need not
// grow while it is written.
std::uint64_t request_words(std::span<const Message> messages);
void write(std::string_view queue, std::span<const Message> messages, const SendOptions& options,
           wire::SendRequest::Builder to);
Result<SendCall> read(wire::SendRequest::Reader from);

void write(const BatchResult<Sent>& from, wire::SendReply::Builder to);
// `entries` is how many messages the request had.
BatchResult<Sent> read(wire::SendReply::Reader from, std::size_t entries);

}  // namespace holdfast::convert
