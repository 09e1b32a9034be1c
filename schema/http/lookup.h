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

// Addresses as texts: "192.0.2.1", "2001:db8::1".
using Addresses = std::vector<std::string>;

// Returns the addresses of a host. It may take any time. It is called on a thread that may outlive main(), so
// it must use nothing that goes away.
using Resolve = std::function<Result<Addresses>(const std::string& host)>;

// Asks the system. kUnavailable if the system knows no address.
Result<Addresses> resolve_host(const std::string& host);

// A Lookup resolves a host on a thread of its own. The thread is abandoned when nobody waits any more, since
// nothing can end a getaddrinfo() that hangs. This is a handle: copies share the lookup.
class Lookup {
 public:
  // Starts a lookup. kUnavailable if no thread can be had.
  static Result<Lookup> start(Resolve resolve, std::string host);

  bool over() const;

  // Returns what was found, or the error of give_up(). Returns nothing if there is neither by the deadline.
  std::optional<Result<Addresses>> wait_until(std::chrono::steady_clock::time_point deadline) const;

  // Makes everybody who waits get this error at once. Thread-safe.
  void give_up(Error error) const;

 private:
  struct State;
  explicit Lookup(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace holdfast::http
