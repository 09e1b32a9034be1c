#include "tests/client/cuts/operation_calls.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

void OperationCalls::backup() {
  const std::string name = context_.next_name() + "backup";
  const auto result = context_.client.backup(name);
  const Peace::Kept peace(context_.site.peace());
  context_.ledger.note("backup", name, result, context_.site.backups(name));
  context_.site.forget_backups(name);
}

bool OperationCalls::drain() {
  bool both = false;
  context_.site.peace().interrupt([&] {
    const std::string name = context_.next_name();
    const auto drained = context_.client.drain({.timeout = 1h, .exit = false});
    context_.ledger.note("drain", name, drained, must(context_.owner.drain_status()).draining ? 1 : 0);
    if (drained) {
      const auto resumed = context_.client.resume();
      context_.ledger.note("resume", name, resumed, must(context_.owner.drain_status()).draining ? 0 : 1);
      both = resumed.has_value();
    }
    must(context_.owner.resume());
  });
  return both;
}

}  // namespace holdfast::testing
