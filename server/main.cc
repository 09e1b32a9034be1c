#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <variant>

#include "server/daemon.h"

namespace {

// A client is a file descriptor, and the usual soft limit of 1024 is for programs that use select().
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace holdfast::server;
  auto flags = parse_flags({argv + 1, argv + argc}, std::cout, std::cerr);
  if (auto* status = std::get_if<ExitStatus>(&flags)) return status->value;
  std::signal(SIGPIPE, SIG_IGN);
  block_stop_signals();
  raise_file_limit();
  return run_daemon(std::get<Flags>(flags));
}
