// The programs that hold contests share their options, their loads, and the way in which they end.
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
  std::string filter;  // a regular expression; empty: every line
  bool full = false;
};

// Adds --json, --full, --filter, --data, --rounds and --turn. The values in `arguments` are their defaults.
// `arguments` must outlive `app`.
void add_contest_options(CLI::App& app, ContestArguments& arguments, const std::string& filter_help);

// Returns a shape with as many producers as consumers.
Shape symmetric(std::size_t callers, std::size_t batch, std::size_t body_bytes, Durability durability);

// Returns the matrix of 1+1, 8+8 and 64+64 callers, batches of 1, 10 and 100, and bodies of 100 B, 1 KiB and
// 64 KiB: all of it if `full` is true, or else its headlines.
std::vector<Shape> loads(Durability durability, bool full,
                         const std::function<bool(const Shape&)>& is_headline);

// Returns the exit status. Standard error says what went wrong.
int run_contests(const std::function<void()>& run);

}  // namespace holdfast::bench
