// Engine::group_dead_letters reads the store without the queue's lock, so that a long look at dead letters
// holds up no delivery.
#include "engine/base/validation/validate.h"
#include "engine/context/deletion.h"
#include "engine/dead_letters/index/dead_letter_groups.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {

Result<DeadLetterGroups> EngineDeadLetterVerbs::group_dead_letters(std::string_view queue_name,
                                                                   GroupDeadLettersOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_page(options.max); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(options.filter); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(options.redact); !ok) return tl::unexpected(ok.error());
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  return unless_deleted(impl_->pipeline, **queue,
                        holdfast::group_dead_letters(*impl_->store, (*queue)->id, options));
}

}  // namespace holdfast
