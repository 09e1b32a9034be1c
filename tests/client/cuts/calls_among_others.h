// Calls that others get in the way of, also between a try and its repetition.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "tests/client/cuts/caller_context.h"
#include "tests/client/cuts/dead_letter_calls.h"
#include "tests/client/cuts/delivery_calls.h"
#include "tests/client/cuts/send_calls.h"

namespace holdfast::testing {

class CallsAmongOthers {
 public:
  CallsAmongOthers(CallerContext& context, SendCalls& sends, DeliveryCalls& deliveries,
                   DeadLetterCalls& dead_letters)
      : context_(context), sends_(sends), deliveries_(deliveries), dead_letters_(dead_letters) {}

  // Others receive and acknowledge at once what was sent.
  void send_to_others();
  void send_while_purged() { send_while("send among purges", &CallsAmongOthers::purge); }
  void send_while_made_anew() { send_while("send among deletions", &CallsAmongOthers::make_anew); }
  void ack_while_purged() { ack_while("ack among purges", &CallsAmongOthers::purge); }
  void ack_while_made_anew() { ack_while("ack among deletions", &CallsAmongOthers::make_anew); }
  // Others have the message as soon as it is given back.
  void release_to_others();
  // Others redrive the dead letter as soon as it is one.
  void reject_while_redriven();
  // Half of the time the queue has no dead letter queue.
  void reject_while_altered();
  // A dead letter is moved, or goes for good.
  void redrive_while_discarded();

 private:
  using Emptying = std::uint64_t (CallsAmongOthers::*)(Client&);

  // Makes the call while somebody else does a deed again and again, so that the deed also comes between a try
  // and its repetition.
  template <class Call>
  auto among_others(const std::function<void(Client&)>& deed, Call call) {
    std::atomic<bool> answered = false;
    const std::jthread others([&] {
      while (!answered) {
        const Peace::Kept peace(context_.site.peace());
        must(context_.others.describe_queue(context_.queue));
        deed(context_.others);
      }
    });
    auto result = call();
    answered = true;
    return result;
  }
  // Purges the shared queue, and returns how many messages went with it.
  std::uint64_t purge(Client& others) { return must(others.purge_queue(context_.shared)); }
  // Deletes the shared queue and creates it anew. Returns how many messages went with it. Sends are paused
  // between the count and the deletion.
  std::uint64_t make_anew(Client& others);
  void send_while(const std::string& verb, Emptying emptying);
  // Acknowledges a message, which goes once: by the ack, or with what the others do.
  void ack_while(const std::string& verb, Emptying emptying);
  std::uint64_t empty_shared();
  Delivery lease_shared(const std::string& name);

  CallerContext& context_;
  SendCalls& sends_;
  DeliveryCalls& deliveries_;
  DeadLetterCalls& dead_letters_;
};

}  // namespace holdfast::testing
