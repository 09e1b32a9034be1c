// The program holdfast-token makes, lists and revokes the tokens of a file.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::server {

// Runs it with these arguments (without the program's name) and returns its exit status.
int run_token_command(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace holdfast::server
