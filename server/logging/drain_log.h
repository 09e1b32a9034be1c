// Writes to the log how a drain goes.
#pragma once

#include <spdlog/logger.h>

#include "holdfast/operations.h"

namespace holdfast::server {

class DrainLog {
 public:
  explicit DrainLog(spdlog::logger& log) : log_(log) {}

  // Writes a line if the status differs from the one at the last call: the drain has begun, is over, or was
  // taken back.
  void note(const DrainStatus& status);

 private:
  spdlog::logger& log_;
  DrainStatus last_;
};

}  // namespace holdfast::server
