// Alters a queue by changes that depend on what the queue is.
#pragma once

#include <string>
#include <utility>

#include "server/sqs/operations/sqs_call.h"

namespace holdfast::server::sqs {

// Calls `make(info)`, which returns an Outcome<QueueChanges>, and alters the queue. If another change comes
// in between, `make` is called again, so that neither change undoes the other. After `tries` more attempts
// the fault is kRequestThrottled.
template <class Make>
Promised<Done> alter_as_seen(SqsCall& call, const std::string& queue, Make make, unsigned tries = 100) {
  auto described = call.broker.describe_version(queue);
  return then_if_good(kj::mv(described), [&call, queue, make, tries](const VersionedQueue& seen) {
    auto changes = make(seen.info);
    if (!changes) return fail_with<Done>(changes.error());
    auto altered = call.broker.alter_if(queue, *changes, seen.version);
    return then_if_good(kj::mv(altered), [&call, queue, make, tries](bool is_done) -> Promised<Done> {
      if (is_done) return Outcome<Done>(Done{});
      if (tries == 0)
        return fail_with<Done>({FaultCode::kRequestThrottled, "Other calls keep changing the queue."});
      return alter_as_seen(call, queue, make, tries - 1);
    });
  });
}

}  // namespace holdfast::server::sqs
