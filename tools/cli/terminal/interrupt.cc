#include "tools/cli/terminal/interrupt.h"

#include <csignal>

namespace holdfast::command {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

volatile std::sig_atomic_t noted = 0;

void note(int number) {
  noted = number;
  if (number != SIGPIPE) (void)std::signal(number, SIG_DFL);
}

}  // namespace

NotedInterrupt::NotedInterrupt() {
  noted = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    before_[i] = std::signal(kSignals[i], note);
    if (kSignals[i] == SIGHUP && before_[i] == SIG_IGN) (void)std::signal(SIGHUP, SIG_IGN);
  }
}

NotedInterrupt::~NotedInterrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) (void)std::signal(kSignals[i], before_[i]);
}

int NotedInterrupt::signal() { return noted; }

}  // namespace holdfast::command
