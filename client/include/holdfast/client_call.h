// A call of a client's, before it is made.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace holdfast {

// What a verb of ClientVerbs gives: everything that it takes to make the call, once. Client::async_call makes
// it.
template <class V>
class ClientCall {
 public:
  using Value = V;
  using Done = std::function<void(Value)>;
  // `number` is what Client::cancel_call knows it by; 0: it is never cancelled.
  using Start = std::function<void(std::uint64_t number, Done done)>;

  explicit ClientCall(Start start) : start_(std::move(start)) {}

  void start(std::uint64_t number, Done done) { start_(number, std::move(done)); }

 private:
  Start start_;
};

}  // namespace holdfast
