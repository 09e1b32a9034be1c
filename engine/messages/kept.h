// The last check of an answer before it leaves: whether what it promises is so.
#pragma once

#include "engine/commit/commit_pipeline.h"
#include "holdfast/message.h"

namespace holdfast {

// Each function stops the process with a message if an answer would promise what a crash may take back. Its
// caller could not tell, and would let go of what it has.

// Checks that the group is committed.
void check_committed(const CommitPipeline& pipeline, GroupNumber group);
// Checks that the group is committed, and at least as durable as was asked. Returns how durable it has
// become.
Durability durability_kept(const CommitPipeline& pipeline, GroupNumber group, Durability asked);

}  // namespace holdfast
