// These verbs are about running an engine.
#include <memory>
#include <mutex>
#include <string>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_impl.h"
#include "engine/verify/verify.h"

namespace holdfast {

Result<BackupInfo> EngineOperationVerbs::backup(const std::filesystem::path& directory,
                                                BackupOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  const sync::Lock one_at_a_time(impl_->backup_mutex);
  return impl_->store->backup(directory, options, impl_->space.reserve(), impl_->closing);
}

Result<VerifyReport> EngineOperationVerbs::verify() {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  std::unique_ptr<Reader> snapshot;
  {
    const sync::Lock no_family_comes_or_goes(impl_->catalog_mutex);
    snapshot = impl_->store->snapshot();
  }
  return verify_store(*snapshot, impl_->closing);
}

Result<void> EngineOperationVerbs::compact(std::string_view queue_name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  std::string begin;
  std::string end(16, '\xff');
  if (!queue_name.empty()) {
    const auto queue = impl_->catalog.find(queue_name);
    if (!queue) return tl::unexpected(queue.error());
    begin = keys::queue_seq((*queue)->id, Seq{0});
    end = keys::queue_end((*queue)->id);
  }
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    const bool by_queue = family != Family::kCatalog && family != Family::kRedriveTasks;
    if (!queue_name.empty() && !by_queue) continue;
    if (auto done = impl_->store->compact(family, begin, end, &impl_->closing); !done) return done;
    if (impl_->closing)
      return fail(ErrorCode::kClosed, "the engine is closing; not everything was compacted");
  }
  return {};
}

}  // namespace holdfast
