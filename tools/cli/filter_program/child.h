// A program of the user's that is fed lines and answers with lines.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "holdfast/error.h"

namespace holdfast::command {

// Gives the next line to feed, without its end; empty: there are no more.
using NextLine = std::function<Result<std::string>()>;

// Runs `command` in a shell, feeds it all lines and gives all that it answered, once it has ended. Its
// standard error is ours. kInvalidArgument if it can't be started or does not end with status 0; or what
// `next` failed with.
Result<std::vector<std::string>> lines_through(const std::string& command, const NextLine& next);

}  // namespace holdfast::command
