// Says what each thread of the campaign of cuts (cuts_test.cc) is doing, in case the campaign does not end.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace holdfast::testing {

// Doing says what one thread is doing. There may be kMost threads.
class Doing {
 public:
  static constexpr std::size_t kMost = 10;

  explicit Doing(std::size_t thread) : what_(all_.at(thread)) {}
  ~Doing() { what_ = nullptr; }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

  // `what` must live for ever, as a literal does.
  void is(const char* what) { what_ = what; }

  // Writes what each thread is doing. May be called in a handler of a signal.
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
