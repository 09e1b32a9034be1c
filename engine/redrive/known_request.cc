// EngineInside::knows_request() says whether an earlier call has used a request id.
#include "engine/engine/engine_impl.h"
#include "engine/engine/engine_inside.h"

namespace holdfast {

// Whatever forgets a task records its answer first, so the answers are looked at after the tasks.
Result<bool> EngineInside::knows_request(const Engine& engine, const std::string& request_id) {
  Engine::Impl& impl = *engine.impl_;
  const auto call = impl.calls.begin();
  if (!call) return tl::unexpected(call.error());
  const auto request = impl.requests.take(request_id);
  if (!request) return tl::unexpected(request.error());
  if (!*request) return false;
  if (impl.tasks.find_request(request_id)) return true;
  return request->is_known(impl.clock.stored_now());
}

}  // namespace holdfast
