// The names of all values of an enum, for options that take one of them.
#pragma once

#include <string>
#include <vector>

namespace holdfast::command {

// In the order of their numbers. `Enum` has one byte, and to_string() calls what is no value of it "unknown",
// so that a value that is added is among them.
template <class Enum>
std::vector<std::string> names_of_all() {
  static_assert(sizeof(Enum) == 1);
  std::vector<std::string> names;
  for (unsigned number = 0; number <= 0xff; ++number) {
    if (const auto name = to_string(static_cast<Enum>(number)); name != "unknown") names.emplace_back(name);
  }
  return names;
}

}  // namespace holdfast::command
