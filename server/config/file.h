// Reads the configuration file: TOML, with a key for each option.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "server/config/setting.h"

namespace holdfast::server {

// Reads a file. kInvalidArgument names the file, the line and what is wrong there: the file cannot be read or
// is not TOML, a key does not name an option, or a value has the wrong type. Values are not checked.
Result<std::vector<Setting>> read_config_file(const std::filesystem::path& file);
// Reads the settings of a text that comes from `file`. It returns the same errors as read_config_file().
Result<std::vector<Setting>> parse_config(std::string_view text, const std::filesystem::path& file);

}  // namespace holdfast::server
