// This header reads the command line of holdfastd.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/config/setting.h"

namespace holdfast::server {

struct CommandLine {
  std::vector<Setting> settings;
  std::optional<std::string> file;  // from --config
  bool check = false;               // whether --check-config is given
};

struct ExitStatus {
  int value;
};

// Returns the command line. After --help or --version, answered on `out`, or after an error, written to
// `err`, it returns the exit status instead. Values are not checked.
std::variant<CommandLine, ExitStatus> parse_command_line(const std::vector<std::string>& arguments,
                                                         std::ostream& out, std::ostream& err);

}  // namespace holdfast::server
