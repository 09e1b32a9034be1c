// The `holdfast` command, which tests call in process.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::command {

// Runs `holdfast ARGUMENTS...` (without the program's name) and returns its exit status: 0, 2 for wrong
// usage, 1 for a question answered with no, or otherwise the exit status of the error in error_table().
int run(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace holdfast::command
