// The configuration file: TOML, an option a key.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "server/config/setting.h"

namespace holdfast::server {

// kInvalidArgument names file, line and what is wrong there: it cannot be read, no TOML, a key that is no
// option, a value of the wrong type. Values are not looked into.
Result<std::vector<Setting>> read_config_file(const std::filesystem::path& file);
// Reads the settings of a text that stands in `file`, with the errors of read_config_file().
Result<std::vector<Setting>> parse_config(std::string_view text, const std::filesystem::path& file);

}  // namespace holdfast::server
