// A ClientCall is a call of a client that has not been made yet.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace holdfast {

// A verb of ClientVerbs returns a ClientCall: all that the call needs. Client::async_call makes it, once.
template <class V>
class ClientCall {
 public:
  using Value = V;
  using Done = std::function<void(Value)>;
  // Makes the call. Client::cancel_call names the call by its `number`; 0: the call cannot be cancelled.
  using Start = std::function<void(std::uint64_t number, Done done)>;

  explicit ClientCall(Start start) : start_(std::move(start)) {}

  void start(std::uint64_t number, Done done) { start_(number, std::move(done)); }

 private:
  Start start_;
};

}  // namespace holdfast
