#include <sys/stat.h>

#include <iostream>
#include <string>
#include <vector>

#include "tools/cli/command.h"

int main(int argc, char** argv) {
  // The command writes messages to files, such as an export or a data directory. They are for its user alone.
  ::umask(S_IRWXG | S_IRWXO);
  std::ios::sync_with_stdio(false);
  return holdfast::command::run(std::vector<std::string>(argv + 1, argv + argc), std::cin, std::cout,
                                std::cerr);
}
