// Carries results from the engine's threads to the loop's thread.
#pragma once

#include <kj/async.h>

#include <memory>
#include <utility>

#include "schema/transport/mailbox.h"
#include "server/bounds/gauge.h"

namespace holdfast::server {

// Makes promises that other threads fulfil. Their results cross together: the loop is woken once for
// everything that a commit has finished. This object must outlive the promises: wait for under_way().zero().
class LoopPromises {
 public:
  explicit LoopPromises(std::shared_ptr<transport::Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}

  // Fulfils the promise. Must be called exactly once, with the result, on any thread. If the promise is gone
  // by then, the result is destroyed on the loop's thread.
  template <class R>
  class Done {
   public:
    void operator()(R result) const {
      promises_->mailbox_->post(
          [promises = promises_, fulfiller = fulfiller_, result = std::move(result)]() mutable {
            // The fulfiller is destroyed here, whichever thread drops the last reference.
            auto own = kj::mv(*fulfiller);
            own->fulfill(std::move(result));
            promises->under_way_.remove();
          });
    }

   private:
    friend class LoopPromises;
    using Fulfiller = kj::Own<kj::PromiseFulfiller<R>>;
    Done(LoopPromises* promises, Fulfiller fulfiller)
        : promises_(promises), fulfiller_(std::make_shared<Fulfiller>(kj::mv(fulfiller))) {}

    LoopPromises* promises_;
    std::shared_ptr<Fulfiller> fulfiller_;
  };

  template <class R>
  struct LoopPromise {
    kj::Promise<R> promise;
    Done<R> done;
  };

  template <class R>
  LoopPromise<R> make() {
    auto pending = kj::newPromiseAndFulfiller<R>();
    under_way_.add();
    return {kj::mv(pending.promise), Done<R>(this, kj::mv(pending.fulfiller))};
  }

  Gauge& under_way() { return under_way_; }

 private:
  std::shared_ptr<transport::Mailbox> mailbox_;
  Gauge under_way_;
};

}  // namespace holdfast::server
