// Runs a program of the user that reads lines and answers with lines.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "holdfast/error.h"

namespace holdfast::command {

// Returns the next line to feed, without its end; an empty text if there are no more.
using NextLine = std::function<Result<std::string>()>;

// Runs `command` in a shell, feeds it all lines, and returns all lines of its answer once it has ended. Its
// standard error is this process's. kInvalidArgument if it cannot be started or does not end with status 0.
// An error of `next` is returned.
Result<std::vector<std::string>> lines_through(const std::string& command, const NextLine& next);

}  // namespace holdfast::command
