// LastWords are what a test says when a signal ends it: the seed of the run that an assertion or a crash cut
// short, or that does not end. When ctest kills a test at its TIMEOUT, nothing can be said. So SIGALRM ends a
// run sooner, after HOLDFAST_TEST_TIME_LIMIT seconds (the default is 240; 0 means never, for a debugger and
// for very long runs).
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace holdfast::testing {

// There may be one object at a time.
class LastWords {
 public:
  // `waits` says what a run that does not end is waiting for. It is called in a signal's handler.
  using Waits = void (*)();
  explicit LastWords(std::string_view words, Waits waits = nullptr) {
    says_waits = waits;
    const std::string line = "ended in " + std::string(words) + "\n";
    size = std::min(line.size(), kMost);
    std::copy_n(line.data(), size, said.data());
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction says {};
      says.sa_handler = say;
      sigaction(kSignals[i], &says, &before[i]);
    }
    ::alarm(static_cast<unsigned>(environment_number("HOLDFAST_TEST_TIME_LIMIT", kTimeLimit)));
  }
  ~LastWords() {
    ::alarm(0);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
  }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  static constexpr std::size_t kMost = 200;
  static constexpr unsigned kTimeLimit = 240;
  static constexpr std::string_view kHangs = "no end within HOLDFAST_TEST_TIME_LIMIT seconds: ";
  static constexpr std::array kSignals{SIGABRT, SIGSEGV, SIGBUS, SIGTERM, SIGINT, SIGALRM};

  // Says the words. The signal then does what it did before: a fault happens again, and other signals are
  // sent again.
  static void say(int signal) {
    if (signal == SIGALRM) (void)!::write(STDERR_FILENO, kHangs.data(), kHangs.size());
    (void)!::write(STDERR_FILENO, said.data(), size);
    if (signal == SIGALRM && says_waits != nullptr) says_waits();
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
    if (signal == SIGTERM || signal == SIGINT || signal == SIGALRM) (void)::raise(signal);
  }

  static inline std::array<char, kMost> said{};
  static inline std::size_t size = 0;
  static inline Waits says_waits = nullptr;
  static inline std::array<struct sigaction, kSignals.size()> before{};
};

}  // namespace holdfast::testing
