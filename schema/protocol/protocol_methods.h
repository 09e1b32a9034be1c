// The methods of the protocol in one list. Cap'n Proto numbers the methods of each interface by themselves;
// here each method of Broker and of the interfaces that Broker extends has one number of its own.
#pragma once

#include <capnp/schema.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::protocol {

// Returns all methods. A method's number is its place here. Numbers may differ between versions of Holdfast,
// so they never leave the process.
const std::vector<capnp::InterfaceSchema::Method>& methods();

// Returns the number of the method that a call names by its interface and by its ordinal there; nothing if
// the protocol has no such method.
std::optional<std::uint16_t> find_method_number(std::uint64_t interface_id, std::uint16_t ordinal);

// Returns the number of the method of this name, which must be one of the protocol's.
std::uint16_t method_number(std::string_view name);

}  // namespace holdfast::protocol
