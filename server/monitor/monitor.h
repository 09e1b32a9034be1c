// The pages that people and their tools look at: /metrics, /healthz, /readyz.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/engine.h"
#include "server/bounds/meter.h"

namespace holdfast::server {

struct Page {
  unsigned status = 200;
  std::string body = {};
};

class Monitor {
 public:
  // `engine` and `meter` must outlive it.
  Monitor(Engine& engine, const Meter& meter, std::size_t max_queues)
      : engine_(engine), meter_(meter), max_queues_(max_queues) {}

  // Returns the answer to a GET of `path`. Thread-safe.
  Page page(std::string_view path) const;

 private:
  Page metrics() const;
  Page health() const;
  Page readiness() const;

  Engine& engine_;
  const Meter& meter_;
  const std::size_t max_queues_;
};

}  // namespace holdfast::server
