// What the demo says while it runs: lines, and bars that move on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "tools/cli/terminal/terminal.h"

namespace holdfast::demo {

// Returns the number with its digits in groups: "63,666".
std::string grouped(std::size_t number);

struct Bar {
  std::string label;
  std::size_t value = 0;
  std::size_t total = 0;
};

class Narrator {
 public:
  // `screen` is what `out` leads to.
  Narrator(std::ostream& out, command::Screen screen) : out_(out), screen_(screen) {}

  // Writes a line, above the bars if there are any.
  void say(const std::string& line);
  // Draws the bars in the place of the last ones. Without a terminal it writes a plain line now and then.
  void show(const std::vector<Bar>& bars);
  // Leaves the bars as they are. Everything after them is written below.
  void settle();

  std::ostream& out() { return out_; }
  const command::Screen& screen() const { return screen_; }

 private:
  void draw();
  void erase();
  void print_plain();

  std::ostream& out_;
  command::Screen screen_;
  std::vector<Bar> bars_;
  std::size_t drawn_ = 0;  // how many lines of the terminal are bars
  std::chrono::steady_clock::time_point last_plain_ = {};
};

}  // namespace holdfast::demo
