// holdfastd reads its command line and settings, then only checks them or serves. What holds for the whole
// process, such as signals and the modes of files, is set before there is a second thread.
#include <sys/stat.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <variant>

#include "server/config/config_check.h"
#include "server/logging/console.h"
#include "server/process/daemon.h"
#include "server/process/descriptors.h"
#include "server/process/signals.h"

namespace {

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
  std::cout << "# " << plan_descriptors(loaded.config, descriptor_limit()).text() << '\n';
  return finish(0, "holdfastd", std::cout, std::cerr);
}

int run(const std::vector<std::string>& arguments) {
  using namespace holdfast::server;
  const auto parsed = parse_command_line(arguments, std::cout, std::cerr);
  if (const auto* status = std::get_if<ExitStatus>(&parsed))
    return finish(status->value, "holdfastd", std::cout, std::cerr);
  const auto& line = std::get<CommandLine>(parsed);
  const Environment environment = process_environment();
  const auto loaded = load_config(line, environment);
  if (!loaded) return failed(loaded.error(), "; see 'holdfastd --help'");
  raise_descriptor_limit();
  if (line.check) return check(*loaded);
  (void)std::signal(SIGPIPE, SIG_IGN);
  // Where the parent ignores the signal, the system forgets how an archive's program ended.
  (void)std::signal(SIGCHLD, SIG_DFL);
  block_signals();
  return run_daemon(line, environment, loaded->config);
}

}  // namespace

int main(int argc, char** argv) {
  // Messages belong to this process's user alone, whatever file they are in. Files for others are opened to
  // them by name.
  ::umask(S_IRWXG | S_IRWXO);
  holdfast::server::name_last_exception();
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception&) {  // no memory, thread or file descriptor can be had
    // The handler of name_last_exception() says what was missing.
    std::terminate();
  }
}
