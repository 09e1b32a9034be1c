// Shows a dead letter with everything that is known of it, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "tools/cli/terminal/terminal.h"

namespace holdfast::command {

// Returns lines of printable text. On a terminal, texts keep their line breaks, and bodies that are JSON are
// indented. For a program that reads a pipe each text is one line, with \n for a line break.
std::vector<std::string> dead_letter_lines(const DeadLetter& letter, const Screen& screen, Timestamp now);

// Returns JSON with a line for each value; numbers, strings and their order stay as they are. A text that is
// not JSON is returned as it is.
std::string indented(std::string_view text);

}  // namespace holdfast::command
