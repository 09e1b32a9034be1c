// Values that several calls share.
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

// Reads at most one cause more than a rejection may have: enough to be refused for it.
void write(const Rejection& from, wire::Rejection::Builder to);
Rejection read(wire::Rejection::Reader from);

// Reads at most one attribute more than a message may have: enough to be refused for it.
void write(const Attributes& from, capnp::List<wire::Attribute>::Builder to);
Attributes read(capnp::List<wire::Attribute>::Reader from);

// How many words a message or a delivery takes up, padding included: no less.
std::uint64_t words_of(std::string_view body, const Attributes& attributes);

void write(const std::vector<std::string>& from, capnp::List<capnp::Text>::Builder to);
// At most one more than `limit`: enough to be refused for it.
std::vector<std::string> read(capnp::List<capnp::Text>::Reader from, std::size_t limit);

// What a request may say: nothing is the queue's default. kInvalidArgument.
wire::Durability to_wire(std::optional<Durability> from);
Result<std::optional<Durability>> read_choice(wire::Durability from, std::string_view field);

// What a reply or an option must say. kInvalidArgument.
Result<Durability> read_durability(wire::Durability from, std::string_view field);

// For a `max` of any size. What does not fit is past the limit anyway, and refused for it.
std::uint32_t saturated(std::size_t count);

// "receipts: 10001 entries, at most 10000". kLimitExceeded.
Result<void> check_count(std::string_view field, std::uint64_t count, std::uint64_t limit);

}  // namespace holdfast::convert
