// The index has these fields of a dead letter's record. All texts are views into the record's row.
#pragma once

#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/triage.h"

namespace holdfast {

struct SearchedAttribute {
  std::string_view name;
  std::string_view value;

  friend bool operator==(const SearchedAttribute&, const SearchedAttribute&) = default;
};

struct IndexedFields {
  std::string_view category;
  std::string_view code;
  std::string_view source_queue;
  std::string_view consumer_version;
  Timestamp died_at{};
  Fingerprint fingerprint{};
  DeathCause cause = DeathCause::kRejected;
  // `status`, `status_since` and `assignee` come from the record's triage.
  DeadLetterStatus status = DeadLetterStatus::kNew;
  Timestamp status_since{};
  std::string_view assignee;
  std::vector<SearchedAttribute> searched = {};

  friend bool operator==(const IndexedFields&, const IndexedFields&) = default;
};

}  // namespace holdfast
