// The benchmarks of the engine, by what they measure. Each function is defined in the file of its name.
#pragma once

#include <vector>

#include "bench/harness/suite.h"

namespace holdfast::bench {

std::vector<Case> lifecycle_cases();
std::vector<Case> sqlite_cases();
std::vector<Case> contended_cases();
std::vector<Case> poison_cases();
std::vector<Case> redrive_cases();
std::vector<Case> dead_letters_cases();
std::vector<Case> find_dead_letters_cases();
std::vector<Case> schedule_cases();
std::vector<Case> backlog_cases();
std::vector<Case> queues_cases();
std::vector<Case> scaling_cases();
std::vector<Case> semantics_cases();

}  // namespace holdfast::bench
