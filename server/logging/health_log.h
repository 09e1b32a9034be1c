// Writes to the log when the engine stops taking sends or writes, and when it takes them again.
#pragma once

#include <spdlog/logger.h>

#include "holdfast/operations.h"

namespace holdfast::server {

class HealthLog {
 public:
  explicit HealthLog(spdlog::logger& log) : log_(log) {}

  // Writes a line if `health` differs from what it was at the last call.
  void note(const Health& health);

 private:
  spdlog::logger& log_;
  bool had_space_ = true;
  bool wrote_ = true;
};

}  // namespace holdfast::server
