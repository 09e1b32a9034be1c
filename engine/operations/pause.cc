// Engine::pause_queue and resume_queue change a part of the queue's definition, so a pause outlasts a
// restart. It takes effect at once, and the call returns when it is durable.
#include "engine/dispatch/dispatcher.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {
namespace {

// Stops or starts what is named, and makes it durable.
Result<void> set_paused(Engine::Impl& engine, std::string_view name, Pause what, bool paused) {
  const auto call = engine.calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (what == Pause{}) return fail(ErrorCode::kInvalidArgument, "neither deliveries nor sends are named");
  const sync::Lock catalog_lock(engine.catalog_mutex);
  auto found = engine.catalog.find(name);
  if (!found) return tl::unexpected(found.error());
  const std::shared_ptr<Queue>& queue = *found;
  GroupNumber group{};
  {
    const LockedQueue locked(engine.pipeline.gate(), *queue);
    Pause now = queue->paused;
    if (what.deliveries) now.deliveries = paused;
    if (what.sends) now.sends = paused;
    queue->paused = now;
    group = engine.pipeline.join_row(
        Family::kCatalog, keys::queue_definition(queue->id),
        encode_queue_definition({queue->name, queue->created_at, queue->options(), now}), Durability::kFsync);
    engine.dispatcher.after_change(queue, engine.now());
  }
  return engine.pipeline.wait(group);
}

}  // namespace

Result<void> EngineQueueVerbs::pause_queue(std::string_view name, Pause what) {
  return set_paused(*impl_, name, what, true);
}

Result<void> EngineQueueVerbs::resume_queue(std::string_view name, Pause what) {
  return set_paused(*impl_, name, what, false);
}

}  // namespace holdfast
