// Counts what the RPC layer must remember of a connection, from the messages that pass.
#pragma once

#include <capnp/common.h>
#include <capnp/rpc.capnp.h>
#include <kj/array.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace holdfast::transport {

// The RPC layer keeps a call of the peer until the call is answered and the peer has said Finish. Its results
// stay in memory as long, and nothing in that layer bounds the number of such calls. It keeps a call of this
// side until the peer has answered. A capability that the peer hands over lives as long as the call that
// brought it, or as long as the call's handler keeps it; so a bound on the capabilities of one message bounds
// them all.
class RpcLedger {
 public:
  // Notes a message of the peer before the RPC layer sees it. Throws a kj::Exception, FAILED, that says which
  // bound is broken: more than `max_calls` calls of the peer unfinished, more than limits::kCallCapabilities
  // handed over in the message, more than limits::kCapabilitySteps to one that the message names, or more
  // than limits::kUnansweredPushes calls of this side unanswered. It also throws for a message of a kind that
  // no client needs, and for a call whose results are to stay on this side. The RPC layer must not see the
  // message then.
  void received(capnp::rpc::Message::Reader message, std::size_t max_calls);

  // Notes a message of this side.
  void sent(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

  // Returns how many calls of the peer are under way or not finished by it.
  std::size_t unfinished_calls() const { return calls_.size(); }
  // Returns the bytes of the results of unfinished calls that are answered.
  std::size_t unfinished_bytes() const { return unfinished_bytes_; }
  // Returns how many calls of this side are not answered.
  std::size_t unanswered_calls() const { return unanswered_calls_; }

 private:
  // A call of the peer. It is forgotten when it is both answered and finished.
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
