// Policies as people set them on the command line: KEY=VALUE, one key at a time.
#pragma once

#include <string>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"

namespace holdfast::command {

struct PolicySettings {
  std::vector<std::string> auto_redrive;
  std::vector<std::string> alerts;
  std::vector<std::string> brake;
  std::vector<std::string> journal;

  bool empty() const { return auto_redrive.empty() && alerts.empty() && brake.empty() && journal.empty(); }
};

// Sets in `changes` the policies of `current` with the settings applied. kInvalidArgument.
Result<void> apply(const PolicySettings& settings, const QueueOptions& current, QueueChanges& changes);

}  // namespace holdfast::command
