// What a verb is given to read: a file, or standard input.
#pragma once

#include <iosfwd>
#include <string>

#include "holdfast/error.h"

namespace holdfast::command {

// kInvalidArgument; `name` is what a person calls the input.
Error unreadable(const std::string& name);
Error unreadable(const std::string& name, int error);  // of errno

// What unreadable() says if the file can't be opened, or is a directory.
Result<void> check_readable(const std::string& path, const std::string& name);

// All that there is. unreadable() if it was not opened, or breaks off before its end.
Result<std::string> read_all(std::istream& in, const std::string& name);

// All of a file.
Result<std::string> read_file(const std::string& path, const std::string& name);

}  // namespace holdfast::command
