// Receives: handing messages out to a receive, or letting it wait for some.
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
    std::optional<Duration> lease;  // otherwise that of the queue
    Duration wait{};
    std::shared_ptr<const Consumer> consumer;
    std::uint64_t token = 0;  // of a receive with a callback; otherwise 0
    // If it is false, the receive must not be held up by a read from the store, and gets kMustLoad instead.
    bool may_block = true;
    bool prefetch = false;
  };
  struct Received {
    enum class State : std::uint8_t {
      kDone,      // `batch` has messages, or none
      kWaiting,   // the queue has got a waiter
      kMustLoad,  // `batch` has fewer than there may be, and the receive must go on, on the background
                  // thread; the queue's waiters know `token` as loading
    } state = State::kDone;
    LeasedBatch batch = {};
  };
  // Grants messages, after those that `batch` has already. If there are none and the request waits, the queue
  // gets the waiter that `make_waiter()` returns. The function moves expired messages out of the way first,
  // in steps between which others get the queue's lock.
  Result<Received> lease_batch(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                               LeasedBatch batch, const std::function<Waiter()>& make_waiter)
      HOLDFAST_EXCLUDES(inside_gate);
  // Returns the deliveries of a batch that is committed. If none of its messages can be read, it tries what
  // the queue has behind them.
  Result<Deliveries> deliver(const std::shared_ptr<Queue>& queue, ReceiveRequest request,
                             const LeasedBatch& batch) HOLDFAST_EXCLUDES(inside_gate);

  using ReceiveCallback = Callback<Deliveries>;
  // Starts a receive with a callback. Returns whether it goes on, on the background thread.
  bool start_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request, LeasedBatch batch,
                     ReceiveCallback done) HOLDFAST_EXCLUDES(inside_gate);

 private:
  // Continues a receive on the background thread, where it may be held up.
  void go_on_receiving(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request, LeasedBatch so_far,
                       ReceiveCallback done) HOLDFAST_EXCLUDES(inside_gate);
  // Calls `done` with the deliveries once they are committed. `done` is never called on this thread before
  // that, since the queue may be locked here.
  void finish_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                      Result<LeasedBatch> batch, ReceiveCallback done);
  bool is_cached(QueueId queue, const LeasedBatch& batch);
  using UnreadChunks = std::map<Seq, Error>;
  // Returns a chunk, or adds to `tried` why it cannot be read.
  Result<std::shared_ptr<const Chunk>> load_once(QueueId queue, Seq first, UnreadChunks& tried)
      HOLDFAST_EXCLUDES(inside_gate);
  // Returns the deliveries that can be read, or an error if none can. The messages of the others are given
  // back: those that cannot be read after a pause, and those of an ordered queue that lie behind them at
  // once. `tried` has the chunks that could not be read so far, which are not read again.
  Result<Deliveries> assemble(Queue& queue, const LeasedBatch& batch, UnreadChunks& tried)
      HOLDFAST_EXCLUDES(inside_gate);
  // Gives messages back without charge, since nobody has seen them, at once or after the delay.
  void give_back(std::span<const Receipt> receipts, std::optional<Duration> delay)
      HOLDFAST_EXCLUDES(inside_gate);
  // Returns what to report of a message that was handed out and whose chunk gave this error, or nothing if
  // the message is gone.
  std::optional<Error> why_unread(Queue& queue, const Receipt& receipt, const Error& error)
      HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  DeadLetterMover& mover_;
  Expirer& expirer_;
  Releaser& releaser_;
};

}  // namespace holdfast
