// Looks up the addresses of a host.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/error.h"

namespace holdfast::http {

// As text: "192.0.2.1", "2001:db8::1".
using Addresses = std::vector<std::string>;

// Gives the addresses of a host. May take as long as it likes; is called on a thread that may outlive main(),
// so it uses nothing that goes away.
using Resolve = std::function<Result<Addresses>(const std::string& host)>;

// The system's. kUnavailable if it knows none.
Result<Addresses> resolve_host(const std::string& host);

// One lookup, on a thread of its own, which is left to itself when nobody waits any more: nothing ends a
// getaddrinfo() that hangs. A handle; copies are of the same lookup.
class Lookup {
 public:
  // kUnavailable: there is no thread to be had.
  static Result<Lookup> start(Resolve resolve, std::string host);

  bool over() const;

  // What was found, or given instead; empty if there is nothing by then.
  std::optional<Result<Addresses>> wait_until(std::chrono::steady_clock::time_point deadline) const;

  // From any thread: whoever waits gets this at once.
  void give_up(Error error) const;

 private:
  struct State;
  explicit Lookup(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace holdfast::http
