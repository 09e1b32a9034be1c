// A package's dependency list: "libc6 (>= 2.34), debconf | debconf-2.0".
#pragma once

#include <string_view>

namespace holdfast::demo {

enum class Relations {
  kFine,
  kMalformed,
  kTooMany,  // more than the parser's table has room for
};

// The room in the parser's table. A few real packages have more relations, and crash a worker.
inline constexpr int kRelationsRoom = 64;

Relations check_relations(std::string_view list);

}  // namespace holdfast::demo
