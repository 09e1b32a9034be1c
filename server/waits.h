// The receives that wait in the engine.
#pragma once

#include <list>

#include "holdfast/engine.h"

namespace holdfast::server {

// The loop's thread only.
class Waits {
 public:
  explicit Waits(Engine& engine) : engine_(engine) {}

  // One of them; dropping it before it is over cancels the receive.
  class Wait {
   public:
    Wait(Waits& waits, Engine::ReceiveToken token) : waits_(waits) {
      waits_.tokens_.push_front(token);
      place_ = waits_.tokens_.begin();
    }
    ~Wait() {
      if (!over_) waits_.engine_.cancel_receive(*place_);
      waits_.tokens_.erase(place_);
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    void over() { over_ = true; }

   private:
    Waits& waits_;
    std::list<Engine::ReceiveToken>::iterator place_;
    bool over_ = false;
  };

  // They end with an empty list, or with what they had already been given.
  void end_all() {
    for (auto token : tokens_) engine_.cancel_receive(token);
  }

 private:
  Engine& engine_;
  std::list<Engine::ReceiveToken> tokens_;
};

}  // namespace holdfast::server
