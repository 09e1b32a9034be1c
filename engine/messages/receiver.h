// Receives: handing messages out to one that finds some, or putting it among those that wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "engine/context/context.h"
#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/messages/releaser.h"
#include "engine/upkeep/expirer.h"

namespace holdfast {

class Receiver {
 public:
  Receiver(EngineContext& engine, Dispatcher& dispatcher, DeadLetterMover& mover, Expirer& expirer,
           Releaser& releaser)
      : engine_(engine), dispatcher_(dispatcher), mover_(mover), expirer_(expirer), releaser_(releaser) {}

  struct ReceiveRequest {
    std::size_t max = 1;
    Duration lease{};
    Duration wait{};
    std::shared_ptr<const Consumer> consumer;
    std::uint64_t token = 0;  // of a receive with a callback
    // False: it must not be held up by reading from the store; kMustLoad then.
    bool may_block = true;
    bool prefetch = false;
  };
  struct Received {
    enum class State : std::uint8_t {
      kDone,      // `batch` has messages, or none
      kWaiting,   // the queue has got a waiter
      kMustLoad,  // `batch` has fewer than there may be, and the receive is to go on, on the background
                  // thread; the queue's waiters know `token` as loading
    } state = State::kDone;
    LeasedBatch batch = {};
  };
  // Messages if there are any, after those that `batch` has already; else the queue's waiter
  // `make_waiter()` if the request waits; else none. It looks past all that have expired, in steps between
  // which others get the queue's lock.
  Result<Received> lease_batch(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                               LeasedBatch batch, const std::function<Waiter()>& make_waiter);
  // The deliveries of a batch that is committed, and if nothing of it can be read, of what the queue has
  // behind that.
  Result<Deliveries> deliver(const std::shared_ptr<Queue>& queue, ReceiveRequest request,
                             const LeasedBatch& batch);

  using ReceiveCallback = Callback<Deliveries>;
  // Whether it goes on, on the background thread.
  bool start_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request, LeasedBatch batch,
                     ReceiveCallback done);

 private:
  // What a receive does that may be held up, part after part.
  void go_on_receiving(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request, LeasedBatch so_far,
                       ReceiveCallback done);
  // Calls `done` with the deliveries once they are committed; never before on this thread, since the queue
  // may be locked here.
  void finish_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                      Result<LeasedBatch> batch, ReceiveCallback done);
  bool is_cached(QueueId queue, const LeasedBatch& batch);
  // The deliveries that can be read; the others are given back: what cannot be read with a pause, and of an
  // ordered queue what is behind that too. An error if nothing can be read.
  // `tried`: chunks that could not be read so far, which are not read again.
  using UnreadChunks = std::map<Seq, Error>;
  Result<Deliveries> assemble(Queue& queue, const LeasedBatch& batch, UnreadChunks& tried);
  // Uncharged, since nobody has seen them; at once or after the delay.
  void give_back(std::span<const Receipt> receipts, std::optional<Duration> delay);
  // What to say of a message that was handed out and whose chunk gave this error; nothing if it is gone.
  std::optional<Error> why_unread(Queue& queue, const Receipt& receipt, const Error& error);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  DeadLetterMover& mover_;
  Expirer& expirer_;
  Releaser& releaser_;
};

}  // namespace holdfast
