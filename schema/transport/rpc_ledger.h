// What the RPC layer has to remember of a connection, counted from the messages that pass.
#pragma once

#include <capnp/common.h>
#include <capnp/rpc.capnp.h>
#include <kj/array.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace holdfast::transport {

// The RPC layer keeps a call of the peer's until it has been answered and the peer has said Finish: its
// results stay in memory as long, and nothing in that layer bounds how many there are. It keeps a call of
// this side's until the peer has answered. A capability that the peer hands over lives as long as the call
// that brought it, or as long as who serves the call keeps it; so a bound on those of one message bounds them
// all.
class RpcLedger {
 public:
  // Notes a message of the peer's, before the RPC layer sees it. Throws a kj::Exception, FAILED, that says
  // which bound it breaks: more than `max_calls` of its calls unfinished, more than limits::kCallCapabilities
  // handed over in it, or more than limits::kUnansweredPushes of this side's calls unanswered. The RPC layer
  // must not see the message then.
  void received(capnp::rpc::Message::Reader message, std::size_t max_calls);

  // Notes a message of this side's.
  void sent(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

  // Calls of the peer's that are under way or that it has not finished.
  std::size_t unfinished_calls() const { return calls_.size(); }
  // Of the results of those that are answered.
  std::size_t unfinished_bytes() const { return unfinished_bytes_; }
  // Calls of this side's.
  std::size_t unanswered_calls() const { return unanswered_calls_; }

 private:
  // Gone when both are so.
  struct Call {
    bool answered = false;
    bool finished = false;
    std::size_t bytes = 0;
  };

  void begin(std::uint32_t call, std::size_t max_calls);
  void finish(std::uint32_t call);
  void answer(capnp::rpc::Return::Reader answer, std::size_t bytes);

  std::unordered_map<std::uint32_t, Call> calls_;
  std::size_t unfinished_bytes_ = 0;
  std::size_t unanswered_calls_ = 0;
};

}  // namespace holdfast::transport
