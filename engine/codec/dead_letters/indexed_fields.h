// What the index over dead letters has of a record: views into it.
#pragma once

#include <string_view>

#include "holdfast/dead_letter.h"
#include "holdfast/triage.h"

namespace holdfast {

struct IndexedFields {
  std::string_view category;
  std::string_view code;
  std::string_view source_queue;
  std::string_view consumer_version;
  Timestamp died_at{};
  Fingerprint fingerprint{};
  DeathCause cause = DeathCause::kRejected;
  // Of its triage.
  DeadLetterStatus status = DeadLetterStatus::kNew;
  Timestamp status_since{};
  std::string_view assignee;

  friend bool operator==(const IndexedFields&, const IndexedFields&) = default;
};

}  // namespace holdfast
