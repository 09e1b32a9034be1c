// Puts the configuration together from all places where options may be set.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/command_line.h"

namespace holdfast::server {

// Names and values of variables.
using Environment = std::map<std::string, std::string>;

Environment process_environment();

struct Loaded {
  Config config;
  // `said_at` says where each option was set. An option that is not in it has its default.
  std::map<std::string_view, std::string> said_at;
};

// Loads the configuration. The command line takes precedence over the environment, and that over the file
// that one of them names. Variables that name no option are ignored, since other programs share the prefix.
// kInvalidArgument names the place of the mistake.
Result<Loaded> load_config(const CommandLine& line, const Environment& environment);

// Returns a line for each option, in the form of the file, with the place where the option was set.
std::string to_text(const Loaded& loaded);

// Returns the options whose values differ.
std::vector<const Option*> changed_options(const Config& before, const Config& after);

}  // namespace holdfast::server
