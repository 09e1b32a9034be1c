// Where answers leave: the last look at whether what they promise is so.
#pragma once

#include "engine/commit/commit_pipeline.h"
#include "holdfast/message.h"

namespace holdfast {

// Each stops the process with a message if an answer would promise what a crash may take back: its caller
// could not tell, and would let go of what it has.

// The group is committed.
void check_committed(const CommitPipeline& pipeline, GroupNumber group);
// It is, at least as durably as was asked. Gives what it has become.
Durability durability_kept(const CommitPipeline& pipeline, GroupNumber group, Durability asked);

}  // namespace holdfast
