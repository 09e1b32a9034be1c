// Tells the log when dead letters cannot be archived, and when they are again.
#pragma once

#include <spdlog/logger.h>

#include "holdfast/archive_sink.h"

namespace holdfast::server {

class ArchiveLog {
 public:
  explicit ArchiveLog(spdlog::logger& log) : log_(log) {}

  // Writes a line if it fails for another reason than what was noted last, or no longer.
  void note(const ArchiveHealth& health);

 private:
  spdlog::logger& log_;
  Result<void> last_;
};

}  // namespace holdfast::server
