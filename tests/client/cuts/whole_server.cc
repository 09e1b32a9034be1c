// The calls on the whole server.
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

void Caller::backup() {
  const std::string name = next_name() + "backup";
  const auto result = client_.backup(name);
  const Peace::Kept peace(site_.peace());
  ledger_.note("backup", name, result, site_.backups(name));
  site_.forget_backups(name);
}

void Caller::drain() {
  next_drain_ = calls_ + kCallsPerDrain / 10;
  site_.peace().interrupt([this] {
    const std::string name = next_name();
    const auto drained = client_.drain({.timeout = 1h, .exit = false});
    ledger_.note("drain", name, drained, must(owner_.drain_status()).draining ? 1 : 0);
    if (drained) {
      const auto resumed = client_.resume();
      ledger_.note("resume", name, resumed, must(owner_.drain_status()).draining ? 0 : 1);
      if (resumed) next_drain_ = calls_ + kCallsPerDrain;
    }
    must(owner_.resume());
  });
}

}  // namespace holdfast::testing
