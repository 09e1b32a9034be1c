#include <fmt/format.h>

#include <csignal>

#include "tools/examples/demo/workers.h"

namespace holdfast::demo {

ProcessWorkers::ProcessWorkers(WorkersOptions options, std::string server)
    : options_(std::move(options)), server_(std::move(server)) {}

Result<void> ProcessWorkers::start(bool relaxed) {
  relaxed_ = relaxed;
  for (std::size_t number = 1; number <= options_.size; ++number) {
    auto worker = start_worker(number);
    if (!worker) return tl::unexpected(worker.error());
    workers_.push_back(std::move(*worker));
  }
  return {};
}

Result<Process> ProcessWorkers::start_worker(std::size_t number) const {
  std::vector<std::string> command{own_program(),          "worker",    "--server",      server_, "--number",
                                   std::to_string(number), "--ledgers", options_.ledgers};
  if (relaxed_) command.emplace_back("--relaxed");
  return Process::start(command, options_.log);
}

Result<void> ProcessWorkers::tend() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto ending = workers_[i].poll();
    if (!ending) continue;
    if (ending->signal != SIGABRT) {
      return fail(ErrorCode::kInternal,
                  fmt::format("worker {} ended with status {}, signal {}; see {}", i + 1, ending->status,
                              ending->signal, options_.log.string()));
    }
    ++crashes_;
    auto worker = start_worker(i + 1);
    if (!worker) return tl::unexpected(worker.error());
    workers_[i] = std::move(*worker);
  }
  return {};
}

void ProcessWorkers::stop() {
  for (const Process& worker : workers_) worker.send(SIGTERM);
  for (Process& worker : workers_) worker.wait();
  workers_.clear();
}

}  // namespace holdfast::demo
