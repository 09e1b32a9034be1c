#include <sys/stat.h>

#include <iostream>
#include <string>
#include <vector>

#include "tools/cli/command.h"

int main(int argc, char** argv) {
  // What it writes to files, an export or a data directory, are messages: its user's alone.
  ::umask(S_IRWXG | S_IRWXO);
  std::ios::sync_with_stdio(false);
  return holdfast::command::run(std::vector<std::string>(argv + 1, argv + argc), std::cin, std::cout,
                                std::cerr);
}
