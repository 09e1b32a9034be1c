// CutCaller is one thread of the campaign of cuts (cuts_test.cc). It makes the calls of each verb in turn, in
// queues of its own. It tells the ledger what each call was answered and, as it sees through another door,
// what the call has done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/client/cuts/caller_context.h"
#include "tests/client/cuts/calls_among_others.h"
#include "tests/client/cuts/dead_letter_calls.h"
#include "tests/client/cuts/delivery_calls.h"
#include "tests/client/cuts/operation_calls.h"
#include "tests/client/cuts/queue_calls.h"
#include "tests/client/cuts/send_calls.h"
#include "tests/client/cuts/stream_calls.h"

namespace holdfast::testing {

class CutCaller {
 public:
  CutCaller(Site& site, Ledger& ledger, Client& client, std::size_t number, std::uint64_t seed)
      : context_(site, ledger, client, number, seed) {}

  // Makes the calls of one verb. The order of verbs is drawn anew once each of them has had its turn.
  void call();

  // Finds what was sent twice, or arrived after its call's answer. Requires that nothing is sent any more.
  void look_at_what_is_left() { sends_.look_at_what_is_left(); }

 private:
  // Drains are rare: a drain holds up all callers, and a caller whose connection is cut holds it up for a
  // whole call_timeout.
  static constexpr std::uint64_t kCallsPerDrain = 150;

  struct VerbStep {
    const char* name;
    void (*take)(CutCaller&);
  };
  static std::span<const VerbStep> steps();

  CallerContext context_;
  SendCalls sends_{context_};
  DeliveryCalls deliveries_{context_, sends_};
  DeadLetterCalls dead_letters_{context_, deliveries_};
  CallsAmongOthers among_others_{context_, sends_, deliveries_, dead_letters_};
  QueueCalls queues_{context_};
  StreamCalls streams_{context_};
  OperationCalls operations_{context_};
  std::vector<VerbStep> deck_;
  std::uint64_t calls_ = 0;
  std::uint64_t next_drain_ = context_.random.between(1, kCallsPerDrain / 3);
};

}  // namespace holdfast::testing
