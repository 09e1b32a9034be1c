// What each thread of the campaign of cuts (cuts_test.cc) is at, for a campaign that does not end.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace holdfast::testing {

// One thread's. There may be kMost of them.
class Doing {
 public:
  static constexpr std::size_t kMost = 10;

  explicit Doing(std::size_t thread) : what_(all_.at(thread)) {}
  ~Doing() { what_ = nullptr; }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

  // `what` lives for ever.
  void is(const char* what) { what_ = what; }

  // May be called in a signal's handler.
  static void say_all() {
    for (std::size_t i = 0; i < kMost; ++i) {
      const char* what = all_[i];
      if (what == nullptr) continue;
      const std::array<char, 10> thread = {'t', 'h', 'r', 'e', 'a', 'd', ' ', static_cast<char>('0' + i),
                                           ':', ' '};
      (void)!::write(STDERR_FILENO, thread.data(), thread.size());
      (void)!::write(STDERR_FILENO, what, std::strlen(what));
      (void)!::write(STDERR_FILENO, "\n", 1);
    }
  }

 private:
  static inline std::array<std::atomic<const char*>, kMost> all_{};

  std::atomic<const char*>& what_;
};

}  // namespace holdfast::testing
