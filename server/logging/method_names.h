// The protocol's methods by name.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// By ordinal.
std::vector<std::string> method_names();

// By ordinal: which of them are among `names`.
std::vector<bool> methods_named(std::initializer_list<std::string_view> names);

}  // namespace holdfast::server
