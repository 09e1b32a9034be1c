// Writers to a stream that wait until less of it is unsent.
#pragma once

#include <kj/async.h>
#include <kj/exception.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace holdfast::transport {

class WaitingWriters {
 public:
  // Done when no more than `bytes` are unsent.
  kj::Promise<void> wait(std::size_t bytes) {
    auto pending = kj::newPromiseAndFulfiller<void>();
    waiting_.emplace_back(bytes, kj::mv(pending.fulfiller));
    return kj::mv(pending.promise);
  }

  // Ends the wait of those to whom so many unsent bytes are few enough: with the failure, if there is one.
  void wake(std::size_t unsent, const kj::Maybe<kj::Exception>& failure) {
    std::erase_if(waiting_, [&](auto& writer) {
      if (unsent > writer.first) return false;
      KJ_IF_MAYBE (e, failure) {
        writer.second->reject(kj::cp(*e));
      } else {
        writer.second->fulfill();
      }
      return true;
    });
  }

 private:
  std::vector<std::pair<std::size_t, kj::Own<kj::PromiseFulfiller<void>>>> waiting_;
};

}  // namespace holdfast::transport
