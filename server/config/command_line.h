// The command line of holdfastd.
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
  std::optional<std::string> file;  // --config
  bool check = false;               // --check-config
};

struct ExitStatus {
  int value;
};

// The command line; or the exit status, after --help and --version were answered on `out`, or an error on
// `err`. Values are not looked into.
std::variant<CommandLine, ExitStatus> parse_command_line(const std::vector<std::string>& arguments,
                                                         std::ostream& out, std::ostream& err);

}  // namespace holdfast::server
