// Converts values that several calls share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/wire/message.capnp.h"

namespace holdfast::convert {

void write(const MessageId& from, wire::MessageId::Builder to);
MessageId read(wire::MessageId::Reader from);

void write(const Receipt& from, wire::Receipt::Builder to);
Receipt read(wire::Receipt::Reader from);

void write(const Consumer& from, wire::Consumer::Builder to);
Consumer read(wire::Consumer::Reader from);

// Reads at most one cause more than a rejection may have, so that a rejection with too many is refused.
void write(const Rejection& from, wire::Rejection::Builder to);
Rejection read(wire::Rejection::Reader from);

// Reads at most one attribute more than a message may have, so that a message with too many is refused.
void write(const Attributes& from, capnp::List<wire::Attribute>::Builder to);
Attributes read(capnp::List<wire::Attribute>::Reader from);

// Returns how many words a message or a delivery takes up at most, padding included.
std::uint64_t words_of(std::string_view body, const Attributes& attributes);

void write(const std::vector<std::string>& from, capnp::List<capnp::Text>::Builder to);
// Reads at most one text more than `limit`, so that a list with too many is refused.
std::vector<std::string> read(capnp::List<capnp::Text>::Reader from, std::size_t limit);

// Convert the durability in a request, where nothing stands for the queue's default. read_choice() returns
// kInvalidArgument for an unknown value.
wire::Durability to_wire(std::optional<Durability> from);
Result<std::optional<Durability>> read_choice(wire::Durability from, std::string_view field);

// Reads a durability that must be there, in a reply or an option. kInvalidArgument if it is absent or
// unknown.
Result<Durability> read_durability(wire::Durability from, std::string_view field);

// Returns `count`, or the largest number if it does not fit. A `max` that does not fit is past its limit and
// refused anyway.
std::uint32_t saturated(std::size_t count);

// Returns kLimitExceeded if the count is past the limit: "receipts: 10001 entries, at most 10000".
Result<void> check_count(std::string_view field, std::uint64_t count, std::uint64_t limit);

}  // namespace holdfast::convert
