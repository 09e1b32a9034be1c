#include "tests/simulation/shrink.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace holdfast::simulation {
namespace {

Steps without(const Steps& steps, std::size_t begin, std::size_t count) {
  const auto from = steps.begin() + static_cast<std::ptrdiff_t>(begin);
  Steps rest(steps.begin(), from);
  rest.insert(rest.end(), from + static_cast<std::ptrdiff_t>(count), steps.end());
  return rest;
}

// Leaves out runs of `length` steps, the last ones first, since what comes after a failure never matters.
bool leave_out(Steps& steps, std::size_t length, const std::function<bool(const Steps&)>& fails) {
  const std::size_t before = steps.size();
  for (std::size_t end = steps.size(); end > 0;) {
    const std::size_t count = std::min(length, end);
    end -= count;
    Steps fewer = without(steps, end, count);
    if (fails(fewer)) steps = std::move(fewer);
  }
  return steps.size() < before;
}

}  // namespace

Steps all_steps(std::uint64_t count) {
  Steps steps(count);
  std::iota(steps.begin(), steps.end(), 1);
  return steps;
}

Steps shrink(Steps steps, const std::function<bool(const Steps&)>& fails) {
  for (std::size_t length = steps.size() / 2; length > 1; length /= 2) leave_out(steps, length, fails);
  while (leave_out(steps, 1, fails)) {
  }
  return steps;
}

}  // namespace holdfast::simulation
