// A call with its request and its answer.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "client/connection/call.h"

namespace holdfast::client {

// An Answer is what read() learns beside the reply.
struct Answer {
  bool repeated;  // an earlier attempt of the call may have had its effect
  const Frames& frames;
};

// A Method makes the request of a call. `Calls` is the interface that declares the call: Broker, or one that
// Broker extends.
template <class Calls, class Params, class Reply>
using Method = capnp::Request<Params, Reply> (Calls::*)(kj::Maybe<capnp::MessageSize>);

// `Write` is void(Params::Builder), and `Read` is Result<Value>(Reply::Reader, const Answer&).
template <class Calls, class Params, class Reply, class Write, class Read>
class TypedCall final : public Call {
 public:
  using Value = std::invoke_result_t<Read&, typename Reply::Reader, const Answer&>;

  using Done = std::function<void(Value)>;

  TypedCall(Effect effect, Route route, Duration deadline, Method<Calls, Params, Reply> method,
            std::uint64_t words, Write write, Read read, Done done)
      : Call(effect, route, deadline),
        method_(method),
        room_{words, 0},
        write_(std::move(write)),
        read_(std::move(read)),
        done_(std::move(done)) {}

 private:
  kj::Promise<void> send(Connection& connection) override {
    auto request = (connection.broker().*method_)(room_);
    write_(request);
    if (!fits_message(request.asReader().totalSize())) return refuse();
    return request.send().then([this, frames = connection.frames()](capnp::Response<Reply>&& reply) {
      if (ended()) return;
      auto value = read_(reply, Answer{.repeated = in_doubt(), .frames = *frames});
      if (!value) return refused(std::move(value).error());
      value_ = std::move(value);
      end();
    });
  }

  // Ends a call whose arguments do not fit: the server would take them for an attack and hang up on all of
  // the client's calls.
  kj::Promise<void> refuse() {
    fail({ErrorCode::kLimitExceeded, "the arguments are too large for one call"});
    return kj::READY_NOW;
  }

  void set_error(Error error) override { value_ = tl::unexpected(std::move(error)); }
  void deliver() override { done_(std::move(value_)); }

  const Method<Calls, Params, Reply> method_;
  // Cap'n Proto allocates, and clears, 8 KiB for arguments of unknown size.
  const capnp::MessageSize room_;
  Write write_;
  Read read_;
  const Done done_;
  Value value_ = tl::unexpected(Error{});
};

}  // namespace holdfast::client
