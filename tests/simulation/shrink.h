// From a run that breaks a promise to the few of its steps that do.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace holdfast::simulation {

// Which steps of a run are taken, ascending. What a step does depends on the seed and on its number, so the
// others mean the same without it.
using Steps = std::vector<std::uint64_t>;

// 1..count.
Steps all_steps(std::uint64_t count);

// Steps that still fail, and would not without any one of them. `steps` must fail. (Delta debugging: Zeller
// and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002.)
Steps shrink(Steps steps, const std::function<bool(const Steps&)>& fails);

}  // namespace holdfast::simulation
