// The names by which the log and the metrics tell calls apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::server {

// Returns the names, by number: those of the protocol's methods, and then `streamEvents`.
std::vector<std::string> method_names();

// Returns the number of a method's name. If the protocol has no such method, nothing has that number.
std::uint16_t name_of_method(std::uint16_t number);
// Returns the number of `streamEvents`, as the API's description calls GET /v1/events. Which method such a
// request is dispatched as depends on what it asks for.
std::uint16_t name_of_event_stream();

}  // namespace holdfast::server
