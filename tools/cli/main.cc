// The `holdfast` command is command::run(), which tests call with streams of their own. Only what belongs to
// the process is set up here.
#include <sys/stat.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "tools/cli/command.h"

int main(int argc, char** argv) {
  // The command writes messages to files, such as an export or a data directory. They are for its user alone.
  ::umask(S_IRWXG | S_IRWXO);
  // Where the parent ignores the signal, the system forgets how a filter program ended.
  (void)std::signal(SIGCHLD, SIG_DFL);
  std::ios::sync_with_stdio(false);
  return holdfast::command::run(std::vector<std::string>(argv + 1, argv + argc), std::cin, std::cout,
                                std::cerr);
}
