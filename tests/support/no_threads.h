// A machine that has no thread to give.
#pragma once

#include <cstddef>

namespace holdfast::testing {

// While it lives, no more than `first` threads can be started, by whatever means, in the whole process.
class NoThreads {
 public:
  explicit NoThreads(std::size_t first = 0);
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
};

}  // namespace holdfast::testing
