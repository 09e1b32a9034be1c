// Writes to the log when dead letters cannot be archived, and when they can be again.
#pragma once

#include <spdlog/logger.h>

#include "holdfast/archive_sink.h"

namespace holdfast::server {

class ArchiveLog {
 public:
  explicit ArchiveLog(spdlog::logger& log) : log_(log) {}

  // Writes a line if archiving fails for another reason than at the last call, or works again.
  void note(const ArchiveHealth& health);

 private:
  spdlog::logger& log_;
  Result<void> last_;
};

}  // namespace holdfast::server
