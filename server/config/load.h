// The configuration, put together from where it can be said.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/command_line.h"

namespace holdfast::server {

// Names and values.
using Environment = std::map<std::string, std::string>;

Environment process_environment();

struct Loaded {
  Config config;
  std::map<std::string_view, std::string> said_at;  // by option; those that are not here have their default
};

// The command line goes before the environment, and that before the file that one of them names. Variables
// that are no option's are left alone: other programs share the prefix. kInvalidArgument names the place.
Result<Loaded> load_config(const CommandLine& line, const Environment& environment);

// A line for each option, as the file would have it, with the place where it was said.
std::string to_text(const Loaded& loaded);

// The options whose values differ.
std::vector<const Option*> changed_options(const Config& before, const Config& after);

}  // namespace holdfast::server
