// What a peer is sent through, whatever the protocol.
#pragma once

#include <kj/async.h>

#include <cstddef>

namespace holdfast::transport {

class Outlet {
 public:
  virtual ~Outlet() noexcept(false) = default;

  // Said, but not sent yet.
  virtual std::size_t unsent_bytes() = 0;

  // Done when all that has been said at this moment is in the operating system's hands. Rejected if the
  // connection breaks.
  virtual kj::Promise<void> drained() = 0;

  // Whether the other side is known to have gone, though nothing has been told so yet.
  virtual bool is_lost() { return false; }
};

}  // namespace holdfast::transport
