// The names of the protocol's methods.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// Returns the names, by ordinal.
std::vector<std::string> method_names();

// Returns, by ordinal, which methods are among `names`.
std::vector<bool> methods_named(std::initializer_list<std::string_view> names);

}  // namespace holdfast::server
