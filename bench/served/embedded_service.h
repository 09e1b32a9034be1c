// EmbeddedService has an engine in this process. A server is slower by what the server and a connection cost.
#pragma once

#include <filesystem>

#include "bench/pipeline/service.h"
#include "holdfast/engine.h"

namespace holdfast::bench {

class EmbeddedService final : public Service {
 public:
  explicit EmbeddedService(const std::filesystem::path& directory);

  std::string name() const override { return "embedded"; }
  void make_queue(const std::string& queue, const Workload& workload) override;
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& workload) override;
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override;
  pid_t pid() const override { return 0; }

 private:
  Engine engine_;
};

}  // namespace holdfast::bench
