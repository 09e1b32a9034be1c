// The rules that workers hold packages to.
#pragma once

#include <functional>
#include <optional>

#include "holdfast/dead_letter.h"
#include "tools/examples/demo/packages/package.h"

namespace holdfast::demo {

struct Rules {
  bool https_only = true;  // false when the dead letters of this rule are redriven
  // Called when the dependency parser runs over its table: the worker goes down. Does not return.
  std::function<void()> crash;
};

// The category whose rule can be relaxed.
inline constexpr const char* kHomepageCategory = "homepage";

// Returns nothing if the package is fine.
std::optional<Rejection> check(const Package& package, const Rules& rules);

}  // namespace holdfast::demo
