// Lets many callers change state side by side, and now and then one close the group with nobody inside.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "engine/sync/mutex.h"

namespace holdfast {

// A shared mutex in which an exclusive caller is not starved: pthread's prefers readers, so a closing leader
// first shuts the door for newcomers.
class Gate {
 public:
  // Held while changing state of the open group. Never across I/O.
  class Pass {
   public:
    explicit Pass(Gate& gate) {
      const std::scoped_lock door(gate.door_);
      lock_ = std::shared_lock(gate.inside_);
    }

   private:
    std::shared_lock<sync::SharedMutex> lock_;
  };

  // Held while the group closes.
  class Closed {
   public:
    explicit Closed(Gate& gate) : door_(gate.door_), inside_(gate.inside_) {}

   private:
    std::unique_lock<sync::Mutex> door_;
    std::unique_lock<sync::SharedMutex> inside_;
  };

 private:
  sync::Mutex door_;
  sync::SharedMutex inside_;
};

}  // namespace holdfast
