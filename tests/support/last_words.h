// What a test says when a signal ends it: the seed of the run that an assertion, a crash or a timeout cut
// short.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::testing {

// Only one at a time.
class LastWords {
 public:
  explicit LastWords(std::string_view words) {
    const std::string line = "ended in " + std::string(words) + "\n";
    size = std::min(line.size(), kMost);
    std::copy_n(line.data(), size, said.data());
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction says {};
      says.sa_handler = say;
      sigaction(kSignals[i], &says, &before[i]);
    }
  }
  ~LastWords() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
  }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  static constexpr std::size_t kMost = 200;
  static constexpr std::array kSignals{SIGABRT, SIGSEGV, SIGBUS, SIGTERM, SIGINT};

  // Then the signal does what it did before: a fault is met again, and the others are sent again.
  static void say(int signal) {
    (void)!::write(STDERR_FILENO, said.data(), size);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
    if (signal == SIGTERM || signal == SIGINT) (void)::raise(signal);
  }

  static inline std::array<char, kMost> said{};
  static inline std::size_t size = 0;
  static inline std::array<struct sigaction, kSignals.size()> before{};
};

}  // namespace holdfast::testing
