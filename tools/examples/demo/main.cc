// holdfast-demo works on the machine's own package index. tools/demo runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "tools/examples/demo/demo.h"

namespace holdfast::demo {
namespace {

void declare(CLI::App& app, Options& options) {
  app.description(
      "Sends every package of an index, checks them with workers that crash, kills the server midway, looks "
      "at the dead letters, redrives one category and balances the result.");
  app.add_option("--index", options.index, "What `apt-cache dumpavail` printed");
  app.add_option("--holdfastd", options.holdfastd, "The server's program");
  app.add_option("--workers", options.workers, "Worker processes, or threads if embedded")
      ->check(CLI::Range(1, 64));
  app.add_option("--directory", options.directory, "Where to keep data, ledgers and logs [a temporary one]");
  app.add_flag("--embedded", options.embedded, "In one process, without a server");
  app.add_flag("--json", options.json, "End with one line of JSON; the rest goes to standard error");
  app.add_flag("--keep", options.keep, "Do not remove the temporary directory");
  app.add_option("--worker", options.worker)->group("");
  app.add_flag("--relaxed", options.relaxed)->group("");
}

void print(const Reconciliation& result, std::FILE* out) {
  const auto line = [out](const char* what, std::size_t count) {
    fmt::print(out, "  {:<66}{:>9}\n", what, grouped(count));
  };
  fmt::print(out, "The reconciliation, in packages (the tables above count messages):\n");
  line("sent", result.sent);
  line("processed", result.processed);
  line("dead letters", result.dead);
  line("lost", result.lost);
  fmt::print(out, "What happened more than once, as delivery at least once allows:\n");
  line("sent twice: messages the broker accepted beyond the packages",
       result.accepted - std::min(result.accepted, result.sent));
  line("handed out again: its worker or the server went down", result.redelivered);
  line("processed again: it was done, but its ack was lost or too late", result.processed_again);
  fmt::print(out, "{}: sent = processed + dead letters, nothing is lost.\n",
             result.balanced() ? "Every package is accounted for" : "NOT TRUE, as it should be");
}

std::filesystem::path temporary_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "holdfast-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  return name;
}

// Runs the demo, and returns its exit status.
int run(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::filesystem::create_directories(options.ledgers());
  const Packages packages = read_packages(options.index);
  fmt::print(options.out(), "This machine's package index has {} packages.\n", grouped(packages.size()));
  const auto result = options.embedded ? run_embedded(packages, options) : run_served(packages, options);
  print(result, options.out());
  if (options.json) {
    nlohmann::json line = result;
    line["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{}\n", line.dump());
  }
  return result.balanced() ? 0 : 1;
}

}  // namespace
}  // namespace holdfast::demo

int main(int argc, char** argv) {
  using namespace holdfast::demo;
  CLI::App app;
  Options options;
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  (void)std::setvbuf(options.out(), nullptr, _IOLBF, BUFSIZ);
  const bool temporary = options.directory.empty();
  int status = 1;
  try {
    options.directory = temporary ? temporary_directory() : std::filesystem::absolute(options.directory);
    status = options.worker.empty() ? run(options) : work_for_server(options);
  } catch (const std::exception& failed) {
    fmt::print(stderr, "holdfast-demo: {}\n", failed.what());
  }
  if (status != 0 || options.keep)
    fmt::print(options.out(), "Data, ledgers and logs are kept in {}\n", options.directory.string());
  else if (temporary)
    std::filesystem::remove_all(options.directory);
  return status;
}
