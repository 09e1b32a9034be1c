// A Workload says what benchmarks send: sizes, batches and durability. BodySource makes the bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/message_verbs.h"

namespace holdfast::bench {

struct Workload {
  std::size_t body_bytes = 1024;
  std::size_t batch = 100;
  Durability durability = Durability::kFsync;
};

// Return parts of benchmark names: "1KiB" or "100B", and "fsync" or "buffered".
std::string size_name(std::size_t bytes);
std::string_view durability_name(Durability durability);

// A batch has these bodies.
using Bodies = std::vector<std::string>;

// Makes bodies of incompressible bytes that start with a stamp: 0, 1, 2, ... over the life of the source.
class BodySource {
 public:
  explicit BodySource(std::size_t body_bytes);
  Bodies next(std::size_t count);

 private:
  std::size_t body_bytes_;
  std::uint64_t stamp_ = 0;
};

std::uint64_t stamp_of(std::string_view body);

// Ends a benchmark that cannot go on, with its text. Other benchmarks still run.
class BenchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// kChanged is the error's text if the stamps of the bodies that came do not add up to those that were sent.
inline constexpr const char* kChanged = "the bodies received are not the bodies sent";

// kNoMatch is the text of the error when --filter finds no line.
inline constexpr const char* kNoMatch = "no benchmark matches";

template <class T>
T require(Result<T> result, const char* what) {
  if (!result) throw BenchError(std::string(what) + ": " + to_string(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Requires that every entry of a batch call's reply is a success.
template <class T>
void require_all(const BatchResult<T>& results, const char* what) {
  if (!results) throw BenchError(std::string(what) + ": " + to_string(results.error()));
  for (const auto& result : *results) {
    if (!result) throw BenchError(std::string(what) + ": " + to_string(result.error()));
  }
}

}  // namespace holdfast::bench
