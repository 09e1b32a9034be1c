// Outlet is the way in which a peer is sent something, whatever the protocol is.
#pragma once

#include <kj/async.h>

#include <cstddef>

namespace holdfast::transport {

class Outlet {
 public:
  virtual ~Outlet() noexcept(false) = default;

  // Returns how many bytes were said but not sent yet.
  virtual std::size_t unsent_bytes() = 0;

  // Returns a promise that is fulfilled when the operating system has everything that was said up to this
  // moment. It is rejected if the connection breaks.
  virtual kj::Promise<void> drained() = 0;

  // Returns whether the other side is known to have gone, even if nobody has been told yet.
  virtual bool is_lost() { return false; }
};

}  // namespace holdfast::transport
