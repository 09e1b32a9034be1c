#include "engine/messages/kept.h"

#include "engine/base/helpers/check.h"

namespace holdfast {

void check_committed(const CommitPipeline& pipeline, GroupNumber group) {
  HOLDFAST_CHECK(pipeline.committed(group), "an answer leaves after its commit is written");
}

Durability durability_kept(const CommitPipeline& pipeline, GroupNumber group, Durability asked) {
  check_committed(pipeline, group);
  const Durability kept = pipeline.durability_of(group);
  HOLDFAST_CHECK(asked == Durability::kBuffered || kept == Durability::kFsync,
                 "an answer leaves after its commit is fsynced, where that was asked");
  return kept;
}

}  // namespace holdfast
