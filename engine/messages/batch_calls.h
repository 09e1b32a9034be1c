// The blocking and the callback form of a batch verb, over the same submit.
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

  // Gives the error of a call that is refused as a whole, before anything has happened.
  using Submit = std::function<Result<Settled>(std::span<const Receipt> receipts)>;
  BatchResult<void> blocking_batch(std::span<const Receipt> receipts, const Submit& submit);
  // On the background thread if it `may_block`.
  void async_batch(std::span<const Receipt> receipts, bool may_block, BatchCallback<void> done,
                   Submit submit);

  // Under a request id. `submit` gets what holds the id.
  using SubmitRequest =
      std::function<Result<Settled>(std::span<const Receipt> receipts, const HeldRequest& request)>;
  BatchResult<void> blocking_batch(std::span<const Receipt> receipts, const std::string& request_id,
                                   const SubmitRequest& submit);
  void async_batch(std::span<const Receipt> receipts, const std::string& request_id, bool may_block,
                   BatchCallback<void> done, SubmitRequest submit);

 private:
  EngineContext& engine_;
};

}  // namespace holdfast
