// Reduces a run that breaks a promise to the few of its steps that do.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace holdfast::simulation {

// The steps of a run that are taken, in ascending order. What a step does depends only on the seed and on its
// number, so the other steps mean the same if one is left out.
using Steps = std::vector<std::uint64_t>;

// Returns the steps from 1 to count.
Steps all_steps(std::uint64_t count);

// Returns steps that still fail, and would not if any one of them were left out. `steps` must fail. (Delta
// debugging: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2),
// 2002.)
Steps shrink(Steps steps, const std::function<bool(const Steps&)>& fails);

}  // namespace holdfast::simulation
