// The receives that wait in the engine.
#pragma once

#include <list>
#include <memory>

#include "holdfast/engine.h"
#include "server/access/tokens.h"

namespace holdfast::server {

// The loop's thread only.
class Waits {
 public:
  explicit Waits(Engine& engine) : engine_(engine) {}

  struct Waiting {
    Engine::ReceiveToken token;
    std::shared_ptr<const Rights> rights;
  };

  // One of them; dropping it before it is over cancels the receive.
  class Wait {
   public:
    // `rights`: of who waits; null if there is no access control for them.
    Wait(Waits& waits, Engine::ReceiveToken token, std::shared_ptr<const Rights> rights = nullptr)
        : waits_(waits) {
      waits_.waiting_.push_front({token, std::move(rights)});
      place_ = waits_.waiting_.begin();
    }
    ~Wait() {
      if (!over_) waits_.engine_.cancel_receive(place_->token);
      waits_.waiting_.erase(place_);
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    void over() { over_ = true; }

   private:
    Waits& waits_;
    std::list<Waiting>::iterator place_;
    bool over_ = false;
  };

  // They end with an empty list, or with what they had already been given.
  void end_all() {
    for (const Waiting& waiting : waiting_) engine_.cancel_receive(waiting.token);
  }
  // The same, of those whose rights these tokens do not give any more.
  void end_revoked(const Tokens* tokens) {
    for (const Waiting& waiting : waiting_) {
      if (are_revoked(waiting.rights.get(), tokens)) engine_.cancel_receive(waiting.token);
    }
  }

 private:
  Engine& engine_;
  std::list<Waiting> waiting_;
};

}  // namespace holdfast::server
