// Reads the input of a verb: a file, or standard input.
#pragma once

#include <iosfwd>
#include <string>

#include "holdfast/error.h"

namespace holdfast::command {

// Makes the error kInvalidArgument. `name` is what a person calls the input.
Error unreadable(const std::string& name);
Error unreadable(const std::string& name, int error);  // `error` is an errno

// Returns unreadable() if the file cannot be opened or is a directory.
Result<void> check_readable(const std::string& path, const std::string& name);

// Reads everything. Returns unreadable() if the stream is not open, or breaks off before its end.
Result<std::string> read_all(std::istream& in, const std::string& name);

// Reads a whole file.
Result<std::string> read_file(const std::string& path, const std::string& name);

}  // namespace holdfast::command
