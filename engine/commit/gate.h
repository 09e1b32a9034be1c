// A gate lets many callers change state side by side. Now and then it lets one caller close the group while
// nobody is inside.
#pragma once

#include "engine/base/helpers/check.h"
#include "engine/sync/mutex.h"

namespace holdfast {

class Gate;

// Says that the calling thread is inside a gate. It serves functions whose callers name their gate by
// expressions that the function cannot name. Such a function says HOLDFAST_REQUIRES_SHARED(inside_gate), and
// tells the analysis which gate that is by Gate::assert_inside(). A thread is never inside two gates, nor
// twice inside one, and does not wait inside one. So a function of a service that enters the gate or waits
// for a commit says HOLDFAST_EXCLUDES(inside_gate).
class HOLDFAST_CAPABILITY("role") InsideGate {};
inline InsideGate inside_gate;

// The gate that the calling thread is inside, or null if it is inside none. Gate::assert_inside() reads it.
inline constinit thread_local const Gate* gate_of_thread = nullptr;

// The gate is a shared mutex that does not starve an exclusive caller. The one of pthread prefers readers, so
// a leader that closes a group keeps newcomers out first.
class HOLDFAST_CAPABILITY("gate") Gate {
 public:
  // A Pass is held while a caller changes state of the open group. It is never held across I/O.
  class HOLDFAST_SCOPED_CAPABILITY Pass {
   public:
    explicit Pass(Gate& gate) HOLDFAST_ACQUIRE_SHARED(gate, inside_gate) : gate_(gate) {
      HOLDFAST_CHECK(gate_of_thread == nullptr, "a thread is inside one gate at most, and once");
      const sync::Lock door(gate.door_);
      gate.inside_.lock_shared();
      gate_of_thread = &gate;
    }
    ~Pass() HOLDFAST_RELEASE_GENERIC() {
      gate_of_thread = nullptr;
      gate_.inside_.unlock_shared();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

  // A Closed is held while the group closes.
  class HOLDFAST_SCOPED_CAPABILITY Closed {
   public:
    explicit Closed(Gate& gate) HOLDFAST_ACQUIRE(gate) HOLDFAST_EXCLUDES(inside_gate)
        : door_(gate.door_), inside_(gate.inside_) {}
    ~Closed() HOLDFAST_RELEASE() = default;
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    sync::Lock door_;
    sync::ExclusiveLock inside_;
  };

  // Tells the analysis that the calling thread has a Pass, where the analysis cannot follow that. A call by a
  // thread that has none stops the process.
  void assert_inside() const HOLDFAST_ASSERT_SHARED(this) {
    HOLDFAST_CHECK(gate_of_thread == this, "the calling thread is inside the gate");
  }

 private:
  sync::Mutex door_;
  sync::SharedMutex inside_;
};

}  // namespace holdfast
