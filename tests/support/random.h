// Random numbers that a printed seed repeats.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace holdfast::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Returns a number from 0 to bound-1. The standard distributions are not used, since they differ between
  // libraries.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  // The tests are not optimised, and many fill megabytes: a word is drawn for eight bytes, not for each.
  std::string bytes(std::size_t size) {
    std::string result(size, '\0');
    for (std::size_t done = 0; done < size; done += sizeof(std::uint64_t)) {
      const std::uint64_t word = engine_();
      std::memcpy(result.data() + done, &word, std::min(sizeof word, size - done));
    }
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

// Returns a number from the environment, such as HOLDFAST_MODEL_FIRST_SEED=1000, with which campaigns are
// run.
inline std::uint64_t environment_number(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before threads start
  if (text == nullptr) return fallback;
  std::uint64_t number = 0;
  const char* end = text + std::strlen(text);
  if (const auto read = std::from_chars(text, end, number); read.ec != std::errc() || read.ptr != end)
    throw std::runtime_error(std::string(name) + " is not a number: " + text);
  return number;
}

// Returns how much of something a campaign does. 0 is an error: a campaign that does nothing would pass.
inline std::uint64_t environment_count(const char* name, std::uint64_t fallback) {
  const std::uint64_t count = environment_number(name, fallback);
  if (count == 0) throw std::runtime_error(std::string(name) + " must be more than 0");
  return count;
}

}  // namespace holdfast::testing
