// Makes this process one that can have no more threads.
#pragma once

#include <cstddef>

namespace holdfast::testing {

// While this object lives, at most `first` threads can be started in the whole process, in any way.
class NoThreads {
 public:
  explicit NoThreads(std::size_t first = 0);
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
};

}  // namespace holdfast::testing
