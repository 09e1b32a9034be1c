// The names of the protocol's methods.
#pragma once

#include <string>
#include <vector>

namespace holdfast::server {

// Returns the names, by ordinal.
std::vector<std::string> method_names();

}  // namespace holdfast::server
