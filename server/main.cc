#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <variant>

#include "server/access/credentials.h"
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
  const auto parsed = parse_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
  if (const auto* status = std::get_if<ExitStatus>(&parsed)) return status->value;
  const auto& line = std::get<CommandLine>(parsed);
  const Environment environment = process_environment();
  const auto loaded = load_config(line, environment);
  if (!loaded) {
    std::cerr << "holdfastd: " << loaded.error().message << "; see 'holdfastd --help'\n";
    return holdfast::error_info(loaded.error().code).exit_status;
  }
  if (line.check) {
    if (const auto credentials = load_credentials(loaded->config); !credentials) {
      std::cerr << "holdfastd: " << credentials.error().message << '\n';
      return holdfast::error_info(credentials.error().code).exit_status;
    }
    std::cout << to_text(*loaded);
    return 0;
  }
  std::signal(SIGPIPE, SIG_IGN);
  block_signals();
  raise_file_limit();
  return run_daemon(line, environment, loaded->config);
}
