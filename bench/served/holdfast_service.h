// A holdfastd of its own, on loopback.
#pragma once

#include <filesystem>

#include "bench/pipeline/process.h"
#include "bench/pipeline/service.h"

namespace holdfast::bench {

enum class Take { kPush, kPoll };

class HoldfastServer {
 public:
  // The program is the one that was built along with the benchmark.
  explicit HoldfastServer(const std::filesystem::path& directory);

  const std::string& address() const { return address_; }
  pid_t pid() const { return process_.pid(); }

 private:
  const std::string address_;
  Process process_;
};

// HoldfastService is the server by way of its client. Consumers have a subscription, or ask. Several services
// may share a server.
class HoldfastService final : public Service {
 public:
  HoldfastService(const HoldfastServer& server, Take take, std::string name)
      : server_(server), take_(take), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  void make_queue(const std::string& queue, const Workload& workload) override;
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& workload) override;
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override;
  pid_t pid() const override { return server_.pid(); }

 private:
  std::string own(const std::string& queue) const { return queue + "-" + name_; }

  const HoldfastServer& server_;
  const Take take_;
  const std::string name_;
};

}  // namespace holdfast::bench
