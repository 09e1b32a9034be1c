#include "engine/queue/open_group/schedule_writes.h"

#include <utility>

#include "engine/codec/encoding/keys.h"

namespace holdfast {

ChunkBuilder& ScheduleWrites::builder_for(Timestamp visible_at, WaitsFor what, std::uint32_t bytes,
                                          Schedule& schedule) {
  const bool new_row = rows_.empty() || rows_.back().place.what != what ||
                       rows_.back().place.visible_at != visible_at ||
                       !rows_.back().builder.has_room_for(bytes);
  if (new_row) {
    rows_.push_back({schedule.open_row(visible_at, what), ChunkBuilder(Seq{0}, ChunkKind::kMessages)});
  }
  schedule.add_message(bytes);
  return rows_.back().builder;
}

void ScheduleWrites::clear() {
  rows_.clear();
  entered_.clear();
}

void ScheduleWrites::contribute(QueueId queue, GroupNumber group, GroupWrites& writes) {
  for (const SchedulePlace& place : entered_) {
    writes.rows.remove_once(Family::kScheduled, keys::scheduled(queue, place));
  }
  entered_.clear();
  if (rows_.empty()) return;
  for (auto& [place, builder] : rows_) {
    writes.chunks.push_back({Family::kScheduled, keys::scheduled(queue, place), std::move(builder).finish()});
  }
  rows_.clear();
  last_group_ = group;
}

GroupNumber ScheduleWrites::last_group(const CommitPipeline& pipeline) const {
  return rows_.empty() ? last_group_ : pipeline.open_group();
}

}  // namespace holdfast
