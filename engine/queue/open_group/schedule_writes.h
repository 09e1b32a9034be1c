// ScheduleWrites has the rows of `scheduled` that the open group adds and removes. A queue has one, under its
// mutex.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/core/schedule.h"

namespace holdfast {

class ScheduleWrites {
 public:
  // Returns the builder to which the caller adds a message of `bytes` bytes that waits until `visible_at`.
  // The message is counted in `schedule`.
  ChunkBuilder& builder_for(Timestamp visible_at, WaitsFor what, std::uint32_t bytes, Schedule& schedule);
  // Removes a row whose messages entered the log.
  void remove(const SchedulePlace& place) { entered_.push_back(place); }
  void clear();
  // Adds the rows to `group`, which closes.
  void contribute(QueueId queue, GroupNumber group, GroupWrites& writes);
  // Returns the last group that has or will have new rows.
  GroupNumber last_group(const CommitPipeline& pipeline) const;

 private:
  struct Row {
    SchedulePlace place;
    ChunkBuilder builder;
  };
  std::vector<Row> rows_;
  std::vector<SchedulePlace> entered_;  // rows to be removed
  GroupNumber last_group_{};            // the last closed group with new rows
};

}  // namespace holdfast
