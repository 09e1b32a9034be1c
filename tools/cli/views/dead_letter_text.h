// A dead letter with everything that is known of it, as people read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "tools/cli/terminal/terminal.h"

namespace holdfast::command {

// Lines of printable text. On a terminal, texts keep their line breaks and bodies that are JSON are indented;
// for programs that read a pipe each is one line, with \n for a line break.
std::vector<std::string> dead_letter_lines(const DeadLetter& letter, const Screen& screen, Timestamp now);

// JSON with a line for each value, whose numbers, strings and order stay as they are; else the text itself.
std::string indented(std::string_view text);

}  // namespace holdfast::command
