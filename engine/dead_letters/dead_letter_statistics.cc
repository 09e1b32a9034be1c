// Engine::dead_letter_statistics reads the counts that the index keeps, and no dead letter, so that
// dashboards may call it often.
#include "engine/context/deletion.h"
#include "engine/dead_letters/index/dead_letter_counts.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {

Result<DeadLetterStatistics> EngineDeadLetterVerbs::dead_letter_statistics(
    std::string_view queue_name, DeadLetterStatisticsOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  const auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  return unless_deleted(impl_->pipeline, **queue,
                        count_dead_letters(*impl_->store, (*queue)->id, options, impl_->now()));
}

}  // namespace holdfast
