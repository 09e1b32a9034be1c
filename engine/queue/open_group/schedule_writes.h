// Rows of `scheduled` that come and go with the open group. A queue has one, under its mutex.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/core/schedule.h"

namespace holdfast {

class ScheduleWrites {
 public:
  // Where a message of so many bytes goes that waits for that time; it is counted in the schedule.
  ChunkBuilder& builder_for(Timestamp visible_at, WaitsFor what, std::uint32_t bytes, Schedule& schedule);
  // The row entered the log.
  void remove(const SchedulePlace& place) { entered_.push_back(place); }
  void clear();
  // `group`: the one that closes.
  void contribute(QueueId queue, GroupNumber group, GroupWrites& writes);
  // The last group that rows went or will go to.
  GroupNumber last_group(const CommitPipeline& pipeline) const;

 private:
  struct Row {
    SchedulePlace place;
    ChunkBuilder builder;
  };
  std::vector<Row> rows_;
  std::vector<SchedulePlace> entered_;  // rows to be removed
  GroupNumber last_group_{};            // the last that closed with rows
};

}  // namespace holdfast
