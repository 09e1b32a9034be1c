#include <iostream>

#include "server/access/token_command.h"

int main(int argc, char** argv) {
  return holdfast::server::run_token_command({argv + 1, argv + argc}, std::cout, std::cerr);
}
