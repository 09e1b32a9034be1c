// Lets many callers change state side by side, and now and then one close the group with nobody inside.
#pragma once

#include "engine/sync/mutex.h"

namespace holdfast {

// That the calling thread is inside a gate. Of a function whose callers name their gate by expressions of
// their own, so that it cannot name theirs: it HOLDFAST_REQUIRES_SHARED(inside_gate), and tells the analysis
// which gate that is by Gate::assert_inside(). A thread is never inside two gates.
class HOLDFAST_CAPABILITY("role") InsideGate {};
inline InsideGate inside_gate;

// A shared mutex in which an exclusive caller is not starved: pthread's prefers readers, so a closing leader
// first shuts the door for newcomers.
class HOLDFAST_CAPABILITY("gate") Gate {
 public:
  // Held while changing state of the open group. Never across I/O.
  class HOLDFAST_SCOPED_CAPABILITY Pass {
   public:
    explicit Pass(Gate& gate) HOLDFAST_ACQUIRE_SHARED(gate, inside_gate) : gate_(gate) {
      const sync::Lock door(gate.door_);
      gate.inside_.lock_shared();
    }
    ~Pass() HOLDFAST_RELEASE_GENERIC() { gate_.inside_.unlock_shared(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

  // Held while the group closes.
  class HOLDFAST_SCOPED_CAPABILITY Closed {
   public:
    explicit Closed(Gate& gate) HOLDFAST_ACQUIRE(gate) : door_(gate.door_), inside_(gate.inside_) {}
    ~Closed() HOLDFAST_RELEASE() = default;
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    sync::Lock door_;
    sync::ExclusiveLock inside_;
  };

  // Tells the analysis what it could not follow: that the calling thread has a Pass.
  void assert_inside() const HOLDFAST_ASSERT_SHARED(this) {}

 private:
  sync::Mutex door_;
  sync::SharedMutex inside_;
};

}  // namespace holdfast
