// Settles receipts: applies what a verb does to each that is valid, under the lock of its queue.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/context/context.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/messages/settled.h"

namespace holdfast {

class Settler {
 public:
  Settler(EngineContext& engine, Dispatcher& dispatcher) : engine_(engine), dispatcher_(dispatcher) {}

  // Applied to each valid receipt under its queue's lock.
  using Settle = std::function<void(Queue& queue, Seq seq, Timestamp time)>;
  // Whether it may be settled so; asked before.
  using Check = std::function<Result<void>(const Queue& queue, Seq seq)>;
  Settled settle(std::span<const Receipt> receipts, std::optional<Durability> durability, HeldRequest request,
                 const Settle& settle_one, const Check& check = {});
  // settle(), buffered, of so many receipts at a time that what is said of each of their failures is a few
  // MiB, which are committed before the next ones. `said`: null if nothing is.
  Settled settle_in_steps(std::span<const Receipt> receipts, const std::shared_ptr<const std::string>& said,
                          const Settle& settle_one, const Check& check = {});

 private:
  EngineContext& engine_;
  Dispatcher& dispatcher_;
};

}  // namespace holdfast
