// Workers are processes that talk to a server, or threads beside an engine.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/broker.h"
#include "tools/examples/demo/process.h"

namespace holdfast::demo {

struct WorkersOptions {
  std::size_t size = 4;
  std::filesystem::path ledgers;  // a directory
  std::filesystem::path log;      // the file for the output of worker processes
};

class Workers {
 public:
  virtual ~Workers() = default;
  // Starts the workers. If `relaxed` is true, they are version 2, and the homepage rule is relaxed.
  virtual Result<void> start(bool relaxed) = 0;
  // Replaces each worker that crashed by a new one. Returns an error if a worker ended in another way.
  virtual Result<void> tend() = 0;
  // Returns when all workers have finished what they had in flight.
  virtual void stop() = 0;
  std::size_t crashes() const { return crashes_; }

 protected:
  std::atomic<std::size_t> crashes_ = 0;
};

class ProcessWorkers final : public Workers {
 public:
  ProcessWorkers(WorkersOptions options, std::string server);
  Result<void> start(bool relaxed) override;
  Result<void> tend() override;
  void stop() override;

 private:
  Result<Process> start_worker(std::size_t number) const;

  WorkersOptions options_;
  std::string server_;
  bool relaxed_ = false;
  std::vector<Process> workers_;
};

class ThreadWorkers final : public Workers {
 public:
  ThreadWorkers(WorkersOptions options, Broker& broker);
  ~ThreadWorkers() override;
  Result<void> start(bool relaxed) override;
  Result<void> tend() override;
  void stop() override;

 private:
  Result<void> work(std::size_t number, bool relaxed);

  WorkersOptions options_;
  Broker& broker_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  Result<void> outcome_;  // the first error of a worker
  std::vector<std::thread> threads_;
};

// Return the name of a worker's ledger, and its instance and version in failure records.
std::string ledger_name(std::size_t worker, bool relaxed);
Consumer consumer_of(std::size_t worker, bool relaxed);

}  // namespace holdfast::demo
