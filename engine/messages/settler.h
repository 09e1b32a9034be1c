// Settles receipts: applies what a verb does to each valid one, under the lock of its queue.
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

  // The settler applies a Settle to each valid receipt, under the lock of the receipt's queue.
  using Settle = std::function<void(Queue& queue, Seq seq, Timestamp time)>;
  // A Check says whether the Settle may be applied to a receipt. It is asked before.
  using Check = std::function<Result<void>(const Queue& queue, Seq seq)>;
  Settled settle(std::span<const Receipt> receipts, std::optional<Durability> durability, HeldRequest request,
                 const Settle& settle_one, const Check& check = {}) HOLDFAST_EXCLUDES(inside_gate);
  // Settles buffered, in steps. What is said of the failures of one step has a few MiB, and is committed
  // before the next step. `said` is null if nothing is said.
  Settled settle_in_steps(std::span<const Receipt> receipts, const std::shared_ptr<const std::string>& said,
                          const Settle& settle_one, const Check& check = {}) HOLDFAST_EXCLUDES(inside_gate);

 private:
  EngineContext& engine_;
  Dispatcher& dispatcher_;
};

}  // namespace holdfast
