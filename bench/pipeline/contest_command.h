// What the programs that hold contests share: their options, their loads, and how they end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/pipeline/contest.h"

namespace CLI {
class App;
}

namespace holdfast::bench {

inline constexpr std::size_t kKiB = 1024;

struct ContestArguments {
  ContestOptions contest;
  std::filesystem::path data = std::filesystem::temp_directory_path();
  std::string filter;  // a regular expression; empty: all
  bool full = false;
};

// --json, --full, --filter, --data, --rounds, --turn. What `arguments` has is their default; it outlives
// `app`.
void add_contest_options(CLI::App& app, ContestArguments& arguments, const std::string& filter_help);

// As many producers as consumers.
Shape symmetric(std::size_t callers, std::size_t batch, std::size_t body_bytes, Durability durability);

// The matrix of 1+1, 8+8, 64+64; batch 1, 10, 100; 100 B, 1 KiB, 64 KiB: whole if it is full, or its
// headlines.
std::vector<Shape> loads(Durability durability, bool full,
                         const std::function<bool(const Shape&)>& is_headline);

// Gives the exit status; what went wrong is on standard error.
int run_contests(const std::function<void()>& run);

}  // namespace holdfast::bench
