// The receives that wait in the engine.
#pragma once

#include <list>
#include <memory>

#include "holdfast/engine.h"
#include "server/access/tokens.h"

namespace holdfast::server {

// The loop's thread only.
class WaitingReceives {
 public:
  explicit WaitingReceives(Engine& engine) : engine_(engine) {}

  struct Waiting {
    Engine::ReceiveToken token;
    std::shared_ptr<const Rights> rights;
  };

  // One of them; dropping it before it is over cancels the receive.
  class WaitingReceive {
   public:
    // `rights`: of who waits; null if there is no access control for them.
    WaitingReceive(WaitingReceives& waiting_receives, Engine::ReceiveToken token,
                   std::shared_ptr<const Rights> rights = nullptr)
        : receives_(waiting_receives) {
      receives_.waiting_.push_front({token, std::move(rights)});
      place_ = receives_.waiting_.begin();
    }
    ~WaitingReceive() {
      if (!over_) receives_.engine_.cancel_receive(place_->token);
      receives_.waiting_.erase(place_);
    }
    WaitingReceive(const WaitingReceive&) = delete;
    WaitingReceive& operator=(const WaitingReceive&) = delete;

    void over() { over_ = true; }

   private:
    WaitingReceives& receives_;
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
