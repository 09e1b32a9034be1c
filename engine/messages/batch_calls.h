// Makes the blocking form and the callback form of a batch verb from one function that submits the batch.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/context/context.h"
#include "engine/messages/settled.h"

namespace holdfast {

class BatchCalls {
 public:
  explicit BatchCalls(EngineContext& engine) : engine_(engine) {}

  // Submits the batch. Its error refuses the call as a whole, before anything has happened.
  using Submit = std::function<Result<Settled>(std::span<const Receipt> receipts)>;
  BatchResult<void> blocking_batch(std::span<const Receipt> receipts, const Submit& submit)
      HOLDFAST_EXCLUDES(inside_gate);
  // Submits on the background thread if `may_block`, and on the caller's otherwise.
  void async_batch(std::span<const Receipt> receipts, bool may_block, BatchCallback<void> done, Submit submit)
      HOLDFAST_EXCLUDES(inside_gate);

  // The calls with a SubmitRequest submit a batch under a request id. `submit` gets the hold on the id.
  using SubmitRequest =
      std::function<Result<Settled>(std::span<const Receipt> receipts, const HeldRequest& request)>;
  BatchResult<void> blocking_batch(std::span<const Receipt> receipts, const std::string& request_id,
                                   const SubmitRequest& submit) HOLDFAST_EXCLUDES(inside_gate);
  void async_batch(std::span<const Receipt> receipts, const std::string& request_id, bool may_block,
                   BatchCallback<void> done, SubmitRequest submit) HOLDFAST_EXCLUDES(inside_gate);

 private:
  EngineContext& engine_;
};

}  // namespace holdfast
