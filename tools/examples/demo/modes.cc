// The two ways in which the demo runs: in one process, or with a server and worker processes.
#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <csignal>
#include <future>
#include <stdexcept>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "holdfast/worker.h"
#include "tools/examples/demo/demo.h"

namespace holdfast::demo {
namespace {

using namespace std::chrono_literals;
namespace process = boost::process;

// Starts a program whose output goes to the log. It is killed when the child or this thread ends.
process::child start(const std::string& program, const std::vector<std::string>& arguments,
                     const Options& options) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::fopen(options.log().c_str(), "ae"),
                                                            &std::fclose);
  if (!log) throw std::runtime_error(fmt::format("cannot write {}", options.log().string()));
  return process::child(program, process::args(arguments), (process::std_out & process::std_err) > log.get(),
                        process::extend::on_exec_setup([](auto&) { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }));
}

bool was_killed_by(int signal, int status) { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// Makes a worker that checks packages, and writes those it has processed to the ledger of its name. If
// embedded, it has a thread for each of the workers that are asked for.
Worker make_worker(Broker& broker, const Options& options, const std::string& name, bool relaxed) {
  // The ledger is a log with the key of a processed package on each line. It does not depend on the broker,
  // so the packages are reconciled with it. A line is one write(), which a kill of the process does not
  // undo. If a line cannot be written, its package counts as lost.
  const auto ledger = spdlog::basic_logger_mt(name, options.ledgers() / name);
  ledger->set_pattern("%v");
  ledger->flush_on(spdlog::level::info);
  const auto handle = [ledger, relaxed](const Delivery& delivery, const WorkContext&) {
    if (auto rejection = check(delivery.body, relaxed)) return Work::reject(*std::move(rejection));
    // This comes before the ack. In the other order, a kill in between would lose a package. In this order,
    // its message is handed out again, and a second line shows it.
    ledger->info(find_attribute(delivery.attributes, kCorrelationIdAttribute));
    return Work::done();
  };
  // A process crashes. A thread cannot crash alone: it throws, and the message is charged as by a crash.
  const auto crash = [embedded = options.embedded](const ParserOverflow&) {
    if (!embedded) std::abort();
    return Work::retry();
  };
  // A crash charges only its message, not those that were prefetched. A short lease brings them back soon.
  return value_or_throw(Worker::make(broker, {.queue = kQueue,
                                              .handler = handle,
                                              .classify = ExceptionRules().on<ParserOverflow>(crash),
                                              .consumer = {.instance = name, .version = relaxed ? "2" : "1"},
                                              .concurrency = options.embedded ? options.workers : 1,
                                              .prefetch = 100,
                                              .lease = 3s,
                                              .on_failed_delivery = [](const FailedDelivery&) {}}));
}

class ThreadWorkers final : public Workers {
 public:
  ThreadWorkers(Broker& broker, const Options& options, bool relaxed)
      : worker_(make_worker(broker, options, relaxed ? "relaxed" : "strict", relaxed)),
        run_(std::async(std::launch::async, [this] { value_or_throw(worker_.run()); })) {}
  ~ThreadWorkers() override { worker_.stop(); }

  std::size_t tend() override {
    if (run_.wait_for(0s) == std::future_status::ready) run_.get();
    return worker_.metrics().thrown;
  }

 private:
  Worker worker_;
  std::future<void> run_;  // waits for the run's end before the worker is destroyed
};

class ProcessWorkers final : public Workers {
 public:
  ProcessWorkers(const Options& options, bool relaxed) : options_(options), relaxed_(relaxed) {
    while (workers_.size() < options.workers) workers_.push_back(start_worker(workers_.size() + 1));
  }

  std::size_t tend() override {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].running()) continue;
      if (!was_killed_by(SIGABRT, workers_[i].native_exit_code()))
        throw std::runtime_error(fmt::format("worker {} did not crash, but ended; see the log", i + 1));
      ++crashes_;
      workers_[i] = start_worker(i + 1);
    }
    return crashes_;
  }

 private:
  process::child start_worker(std::size_t number) const {
    std::vector<std::string> arguments{"--worker", fmt::format("worker-{}", number), "--directory",
                                       options_.directory};
    if (relaxed_) arguments.emplace_back("--relaxed");
    return start("/proc/self/exe", arguments, options_);
  }

  const Options& options_;
  bool relaxed_;
  std::vector<process::child> workers_;  // killed at the end: that loses nothing, since crashes do not either
  std::size_t crashes_ = 0;
};

// Connects to the server. Waits if it is down, because it is just being started, unless `server` has ended.
Result<Client> connect(const Options& options, const std::string& name, process::child* server = nullptr) {
  for (int left = 300;; --left, std::this_thread::sleep_for(100ms)) {
    auto client = Client::connect(options.address(), {.name = name});
    const bool is_down = !client && client.error().code == ErrorCode::kUnavailable;
    if (is_down && server != nullptr && !server->running())
      return fail(ErrorCode::kUnavailable,
                  fmt::format("holdfastd ended with status {}; its log is {}",
                              shell_status(server->native_exit_code()), options.log().string()));
    if (!is_down || left == 0) return client;
  }
}

Reconciliation run_with_engine(const Packages& packages, const Options& options, void (*at_half)()) {
  auto engine = value_or_throw(Engine::open(options.data()));
  const auto make = [&](bool relaxed) { return std::make_unique<ThreadWorkers>(engine, options, relaxed); };
  return run_scenario(engine, make, packages, options, at_half);
}

}  // namespace

Reconciliation run_embedded(const Packages& packages, const Options& options) {
  fmt::print(options.out(),
             "A process with an engine, a producer and workers starts; it will be killed midway.\n");
  const pid_t first = ::fork();
  if (first == 0) {
    run_with_engine(packages, options, [] { (void)std::raise(SIGKILL); });
    std::abort();
  }
  int status = 0;
  ::waitpid(first, &status, 0);
  if (!was_killed_by(SIGKILL, status)) throw std::runtime_error("the first process was not killed");
  fmt::print(options.out(), "kill -9. This process opens the same directory and goes on.\n");
  return run_with_engine(packages, options, [] {});
}

Reconciliation run_served(const Packages& packages, const Options& options) {
  const auto start_server = [&options] {
    return start(options.holdfastd, {"--data", options.data(), "--listen", options.address()}, options);
  };
  auto server = start_server();
  auto client = value_or_throw(connect(options, "demo", &server));
  fmt::print(options.out(), "holdfastd serves {}; a producer and {} worker processes start.\n",
             options.address(), options.workers);
  const auto start_workers = [&](bool relaxed) { return std::make_unique<ProcessWorkers>(options, relaxed); };
  const Reconciliation result = run_scenario(client, start_workers, packages, options, [&] {
    fmt::print(options.out(), "kill -9 holdfastd, and start it again on the same data.\n");
    server.terminate();
    server = start_server();
    // If the server ended instead, the producer would wait for it for as long as the client is open.
    value_or_throw<Client>(connect(options, "demo", &server).or_else([&](const Error&) { client.close(); }));
  });
  client.close();
  ::kill(server.id(), SIGTERM);
  server.wait();
  if (server.native_exit_code() != 0) throw std::runtime_error("holdfastd failed at its end; see the log");
  return result;
}

int work_for_server(const Options& options) {
  auto client = value_or_throw(connect(options, options.worker));
  value_or_throw(make_worker(client, options, options.worker, options.relaxed).run());
  return 0;
}

}  // namespace holdfast::demo
