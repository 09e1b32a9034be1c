// This header has the table of holdfastd's options. There is no other.
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

// Shape is the form of a value in TOML.
enum class Shape : std::uint8_t {
  kSwitch,  // a boolean; a flag on the command line
  kNumber,  // an integer
  kSize,    // an integer, or a string with a unit
  kText,    // a string
  kList,    // a string or an array of strings; repeatable on the command line
};

struct Option {
  // `name` is the option's name. "max-calls" is --max-calls on the command line, HOLDFAST_MAX_CALLS in the
  // environment and max-calls in the file.
  std::string_view name;
  Shape shape;
  std::string_view value_name;  // what --help calls the value
  std::string_view group;       // the heading in --help
  std::string_view help;
  // `reloads` says whether SIGHUP gives the option its new value. If not, only the next start does.
  bool reloads;

  // Sets the option from values as they are typed: one value, or any number for kList. kInvalidArgument says
  // what is wrong.
  std::function<Result<void>(Config&, const Values&)> set;
  // Returns the values that set() would accept; none if nothing is set.
  std::function<Values(const Config&)> get;
};

std::span<const Option> option_table();

// Returns null if there is no option of that name.
const Option* find_option(std::string_view name);

// Returns the environment variable of an option: "HOLDFAST_MAX_CALLS".
std::string variable_of(const Option& option);

}  // namespace holdfast::server
