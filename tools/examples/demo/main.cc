// holdfast-demo works on the machine's own package index. tools/demo runs it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/examples/demo/roles.h"
#include "tools/examples/demo/scenario.h"

namespace holdfast::demo {
namespace {

struct Arguments {
  std::filesystem::path index;
  std::filesystem::path holdfastd;
  std::filesystem::path directory;  // empty: a temporary directory
  std::size_t workers = 4;
  bool embedded = false;
  bool until_killed = false;
  bool json = false;
  bool keep = false;
  // options of the parts that run in processes of their own
  std::string server;
  std::filesystem::path ledgers;
  std::size_t number = 1;
  bool relaxed = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.description(
      "Sends every package of an index, checks them with workers that crash, kills the server midway, looks "
      "at the dead "
      "letters, redrives one category and balances the accounts.");
  app.add_option("--index", arguments.index, "What `apt-cache dumpavail` printed");
  app.add_option("--holdfastd", arguments.holdfastd, "The server's program");
  app.add_option("--workers", arguments.workers, "Worker processes, or threads if embedded")
      ->check(CLI::Range(1, 64));
  app.add_option("--directory", arguments.directory,
                 "Where to keep data, ledgers and logs [a temporary one]");
  app.add_flag("--embedded", arguments.embedded, "In one process, without a server");
  app.add_flag("--json", arguments.json, "End with one line of JSON; the rest goes to standard error");
  app.add_flag("--keep", arguments.keep, "Do not remove the temporary directory");
  app.add_flag("--until-killed", arguments.until_killed)->group("");

  CLI::App* producer = app.add_subcommand("producer")->group("");
  producer->add_option("--server", arguments.server)->required();
  producer->add_option("--index", arguments.index)->required();
  producer->add_option("--ledgers", arguments.ledgers)->required();
  CLI::App* worker = app.add_subcommand("worker")->group("");
  worker->add_option("--server", arguments.server)->required();
  worker->add_option("--ledgers", arguments.ledgers)->required();
  worker->add_option("--number", arguments.number)->required();
  worker->add_flag("--relaxed", arguments.relaxed);
}

// The directory of a run. It is removed at the end if it is a temporary one that should not be kept.
class Directory {
 public:
  explicit Directory(const Arguments& arguments) : path_(arguments.directory), remove_(false) {
    if (!path_.empty()) return;
    std::string name = (std::filesystem::temp_directory_path() / "holdfast-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    remove_ = !arguments.keep;
  }
  ~Directory() {
    std::error_code ignored;
    if (remove_) std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep() { remove_ = false; }

 private:
  std::filesystem::path path_;
  bool remove_;
};

int report(const Error& error) {
  std::cerr << "holdfast-demo: " << to_string(error) << '\n';
  return error_info(error.code).exit_status;
}

int report(const Result<void>& done) { return done ? 0 : report(done.error()); }

void print_json(const Outcome& outcome, double seconds) {
  const Reconciliation& reconciliation = outcome.reconciliation;
  const nlohmann::ordered_json line{{"sent", reconciliation.sent},
                                    {"processed", reconciliation.processed},
                                    {"dead", reconciliation.dead},
                                    {"redriven", outcome.redriven},
                                    {"lost", reconciliation.lost},
                                    {"redelivered", reconciliation.redelivered},
                                    {"seconds", std::round(seconds * 100) / 100}};
  std::cout << line.dump() << '\n';
}

int tell(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  std::ostream& out = arguments.json ? std::cerr : std::cout;
  const int descriptor = arguments.json ? STDERR_FILENO : STDOUT_FILENO;
  Narrator narrator(out, command::screen_of(descriptor, command::ColorChoice::kAuto));
  auto index = PackageIndex::read(arguments.index);
  if (!index) return report(index.error());

  Directory directory(arguments);
  const Setting setting{.index = *index,
                        .index_file = arguments.index,
                        .directory = directory.path(),
                        .holdfastd = arguments.holdfastd,
                        .workers = arguments.workers};
  std::filesystem::create_directories(setting.ledgers());
  if (arguments.until_killed) return report(run_until_killed(setting, narrator));

  narrator.say("This machine's package index has " + grouped(index->size()) + " packages.");
  auto outcome =
      arguments.embedded ? run_embedded(setting, narrator, arguments.json) : run_served(setting, narrator);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (outcome) print_reconciliation(narrator, outcome->reconciliation);
  if (!outcome || !outcome->reconciliation.balanced()) {
    directory.keep();
    narrator.say("Data, ledgers and logs are kept in " + directory.path().string());
  }
  if (!outcome) return report(outcome.error());
  if (arguments.json) print_json(*outcome, seconds.count());
  return outcome->reconciliation.balanced() ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app;
  Arguments arguments;
  declare(app, arguments);
  CLI11_PARSE(app, argc, argv);
  if (app.got_subcommand("producer")) {
    return report(play_producer(arguments.server, arguments.index, arguments.ledgers));
  }
  if (app.got_subcommand("worker")) {
    return report(play_worker(arguments.server, arguments.ledgers, arguments.number, arguments.relaxed));
  }
  return tell(arguments);
}

}  // namespace
}  // namespace holdfast::demo

int main(int argc, char** argv) { return holdfast::demo::run(argc, argv); }
