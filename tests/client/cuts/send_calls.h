// Sends, and what they left: each body once if its send succeeded.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/client/cuts/caller_context.h"

namespace holdfast::testing {

class SendCalls {
 public:
  explicit SendCalls(CallerContext& context) : context_(context) {}

  void send();
  void send_batch();
  void send_buffered();
  // Sends many messages at once. Answers that the proxy holds up are lost together, and then the repetitions
  // are refused for their bytes.
  void send_crowd();

  // Notes a message that is about to be sent, and returns its name.
  std::string next_sent(const std::string& verb);
  template <class T>
  void sent(const std::string& name, const Result<T>& result) {
    SentOnce& once = sent_.at(context_.body_of(name));
    once.result = result ? Result<void>() : tl::unexpected(result.error());
    const Peace::Kept peace(context_.site.peace());
    count_sent(context_.connected_owner());
    context_.ledger.note(once.verb, name, once.result, once.times);
  }
  // Puts away all that is in the queue.
  void count_sent(Client& through);
  // Counts a message that was sent, or came back, and acknowledges it.
  void put_away(Client& through, const Delivery& delivery);

  // Finds what was sent twice, or arrived after its call's answer. Requires that nothing is sent any more.
  void look_at_what_is_left();

 private:
  struct SentOnce {
    std::string verb;
    Result<void> result = fail(ErrorCode::kOutcomeUnknown, "it is not answered yet");
    std::uint64_t times = 0;
  };

  // Takes up the limit of the bytes that all clients send.
  void crowd_out();

  CallerContext& context_;
  std::map<std::string, SentOnce> sent_;  // by body
};

}  // namespace holdfast::testing
