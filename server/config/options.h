// The one table of holdfastd's options.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "server/options/config.h"

namespace holdfast::server {

using Values = std::vector<std::string>;

// What a value looks like in TOML.
enum class Shape : std::uint8_t {
  kSwitch,  // a boolean; on the command line a flag
  kNumber,  // an integer
  kSize,    // an integer, or a string with a unit
  kText,    // a string
  kList,    // a string or an array of them; on the command line repeatable
};

struct Option {
  // "max-calls" is --max-calls on the command line, HOLDFAST_MAX_CALLS in the environment and max-calls in
  // the file.
  std::string_view name;
  Shape shape;
  std::string_view value_name;  // what --help calls the value
  std::string_view group;       // the heading in --help
  std::string_view help;
  bool reloads;  // SIGHUP gives it its new value; the others keep theirs until the next start

  // Values as they are typed: one, or for kList any number. kInvalidArgument says what is wrong with them.
  std::function<Result<void>(Config&, const Values&)> set;
  // What set() would take; empty where nothing is set.
  std::function<Values(const Config&)> get;
};

std::span<const Option> option_table();

// Null if there is none of that name.
const Option* find_option(std::string_view name);

// "HOLDFAST_MAX_CALLS"
std::string variable_of(const Option& option);

}  // namespace holdfast::server
