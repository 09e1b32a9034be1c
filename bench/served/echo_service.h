// Cap'n Proto's own RPC, which gives back what it is sent. It shows what bytes on a connection cost without a
// queue.
#pragma once

#include <filesystem>

#include "bench/pipeline/process.h"
#include "bench/pipeline/service.h"

namespace holdfast::bench {

class EchoService final : public Service {
 public:
  explicit EchoService(const std::filesystem::path& directory);

  std::string name() const override { return "echo"; }
  void make_queue(const std::string& queue, const Workload& workload) override;
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& workload) override;
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override;
  pid_t pid() const override { return process_.pid(); }

 private:
  const std::string address_;
  Process process_;
};

// Plays the server. The benchmark's program runs it in a process of its own. Does not return.
void serve_echo(const std::string& address);

}  // namespace holdfast::bench
