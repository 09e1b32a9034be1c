// Options whose value is the name of an enum's value. to_string() returns "unknown" for a number that is no
// value, so a new value of the enum is included without a change here.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace holdfast::command {

// Returns the values in the order of their numbers.
template <class Enum>
std::vector<Enum> values_of() {
  static_assert(sizeof(Enum) == 1);
  std::vector<Enum> values;
  for (unsigned number = 0; number <= 0xff; ++number) {
    if (to_string(static_cast<Enum>(number)) != "unknown") values.push_back(static_cast<Enum>(number));
  }
  return values;
}

template <class Enum>
std::vector<std::string> names_of(const std::vector<Enum>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const Enum value : values) names.emplace_back(to_string(value));
  return names;
}

// Adds an option. Calls take(Enum) with the named value, which is one of `values`.
template <class Enum, class Take>
CLI::Option* add_choice(CLI::App& verb, const std::string& name, Take take, const std::string& description,
                        std::vector<Enum> values = values_of<Enum>()) {
  const std::vector<std::string> names = names_of(values);
  return verb
      .add_option_function<std::vector<std::string>>(
          name,
          [take, values, names](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto place = std::ranges::find(names, text);
              if (place != names.end()) take(values[static_cast<std::size_t>(place - names.begin())]);
            }
          },
          description)
      ->check(CLI::IsMember(names))
      ->expected(1);
}

}  // namespace holdfast::command
