// holdfast-token makes, lists and revokes the tokens of a file. All of it is in run_token_command(), which
// tests call without a process.
#include <iostream>

#include "server/access/token_command.h"

int main(int argc, char** argv) {
  return holdfast::server::run_token_command({argv + 1, argv + argc}, std::cout, std::cerr);
}
