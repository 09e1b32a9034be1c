// Short forms of what storage tests do with a store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/storage/store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

using Rows = std::vector<std::pair<std::string, std::string>>;

// A key above every key that the tests write.
inline const std::string kTop(32, '\xff');

inline CommitResult put(Store& store, Family family, std::string_view key, std::string_view value,
                        Durability durability = Durability::kFsync) {
  auto batch = store.new_batch();
  batch->put(family, key, value);
  return store.commit(*batch, durability);
}

inline std::optional<std::string> get(const Store& store, Family family, std::string_view key) {
  return must(store.get(family, key));
}

inline Rows rest(Scan& scan) {
  Rows rows;
  for (; scan.valid(); scan.next()) rows.emplace_back(scan.key(), scan.value());
  must(scan.status());
  return rows;
}

inline Rows rows(const Store& store, Family family, std::string_view begin = {},
                 std::string_view end = kTop) {
  return rest(*store.scan(family, begin, end));
}

MATCHER(IsCommitted, "") {
  *result_listener << arg.message;
  return arg.outcome == CommitOutcome::kCommitted;
}

MATCHER_P(EndedAs, outcome, "") {
  *result_listener << "outcome " << static_cast<int>(arg.outcome) << ": " << arg.message;
  return arg.outcome == outcome && !arg.message.empty();
}

}  // namespace holdfast::testing
