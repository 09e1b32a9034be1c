#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <variant>

#include "server/config/check.h"
#include "server/console.h"
#include "server/daemon.h"

namespace {

// A client is a file descriptor, and the usual soft limit of 1024 is for programs that use select().
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int failed(const holdfast::Error& error, const char* advice) {
  std::cerr << "holdfastd: " << holdfast::server::escaped(error.message) << advice << '\n';
  return holdfast::error_info(error.code).exit_status;
}

int check(const holdfast::server::Loaded& loaded) {
  using namespace holdfast::server;
  const auto checked = check_config(loaded.config);
  if (!checked) return failed(checked.error(), "");
  for (const auto& warning : checked->warnings)
    std::cerr << "holdfastd: warning: " << escaped(warning) << '\n';
  std::cout << to_text(loaded);
  return finish(0, "holdfastd", std::cout, std::cerr);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace holdfast::server;
  const auto parsed = parse_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
  if (const auto* status = std::get_if<ExitStatus>(&parsed))
    return finish(status->value, "holdfastd", std::cout, std::cerr);
  const auto& line = std::get<CommandLine>(parsed);
  const Environment environment = process_environment();
  const auto loaded = load_config(line, environment);
  if (!loaded) return failed(loaded.error(), "; see 'holdfastd --help'");
  if (line.check) return check(*loaded);
  std::signal(SIGPIPE, SIG_IGN);
  block_signals();
  raise_file_limit();
  return run_daemon(line, environment, loaded->config);
}
