// CancellableReceives are the receives that wait in the engine for clients, so that they can be cancelled.
#pragma once

#include <list>
#include <memory>

#include "holdfast/engine.h"
#include "server/access/tokens.h"

namespace holdfast::server {

// Only the loop's thread uses it.
class CancellableReceives {
  struct Waiting {
    Engine::ReceiveToken token;
    std::shared_ptr<const Rights> rights;
  };

 public:
  explicit CancellableReceives(Engine& engine) : engine_(engine) {}

  // A CancellableReceive waits. If it is destroyed before over() is called, the receive is cancelled.
  class CancellableReceive {
   public:
    // `rights` are those of the client that waits, or null if there is no access control for it.
    CancellableReceive(CancellableReceives& cancellable_receives, Engine::ReceiveToken token,
                       std::shared_ptr<const Rights> rights = nullptr)
        : receives_(cancellable_receives) {
      receives_.waiting_.push_front({token, std::move(rights)});
      place_ = receives_.waiting_.begin();
    }
    ~CancellableReceive() {
      if (!over_) receives_.engine_.cancel_receive(place_->token);
      receives_.waiting_.erase(place_);
    }
    CancellableReceive(const CancellableReceive&) = delete;
    CancellableReceive& operator=(const CancellableReceive&) = delete;

    // Says that the receive has ended. Cancelling it in vain would take the queue's lock.
    void over() { over_ = true; }

   private:
    CancellableReceives& receives_;
    std::list<Waiting>::iterator place_;
    bool over_ = false;
  };

  // Ends all receives. Each ends with an empty list, or with what it was given already.
  void end_all() {
    for (const Waiting& waiting : waiting_) engine_.cancel_receive(waiting.token);
  }
  // Ends the receives of clients whose rights `tokens` no longer grants.
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
