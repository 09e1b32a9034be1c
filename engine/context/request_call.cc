#include "engine/context/request_call.h"

#include <utility>

namespace holdfast {

void start_request(EngineContext& engine, const std::string& id, bool may_block, RequestCall call) {
  const auto open = engine.calls.begin();
  if (!open) return call(tl::unexpected(open.error()));
  const auto post = [&engine](const RequestCall& posted, const HeldRequest& request) {
    engine.background.post([posted, request] { posted(request); });
  };
  auto taken = engine.requests.try_take(id);
  if (!taken) return call(tl::unexpected(taken.error()));
  if (!*taken) {
    return engine.requests.stand_in_line(id, [post, call = std::move(call)](Result<HeldRequest> turn) {
      turn ? post(call, *turn) : call(std::move(turn));
    });
  }
  HeldRequest& request = **taken;
  // A call with an id that is made at once must not overtake one that still looks on disk.
  const bool needs_no_look =
      id.empty() || (engine.background.idle() && request.is_new(engine.clock.stored_now()));
  if (may_block || !needs_no_look) return post(call, request);
  call(std::move(request));
}

}  // namespace holdfast
