// The protocol's methods by name.
#pragma once

#include <string>
#include <vector>

namespace holdfast::server {

// By ordinal.
std::vector<std::string> method_names();

}  // namespace holdfast::server
