// Checks that the checkpoint's counts are those of the rows.
#include <algorithm>
#include <vector>

#include "engine/core/seq_math.h"
#include "engine/verify/checks.h"

namespace holdfast::verify {
namespace {

class CountsCheck final : public QueueCheck {
 public:
  CountsCheck(const QueueFacts& queue, Findings& findings) : queue_(queue), findings_(findings) {}

  void chunk(const StoredChunk& stored) override {
    const bool dead = stored.chunk->kind() == ChunkKind::kDeadLetters;
    LaneCount& lane = count_of(stored.first);
    for (std::uint32_t i = 0; i < stored.chunk->count(); ++i) {
      const EntryState state = stored.state_of(i);
      if (state == EntryState::kFresh) ++lane.fresh;
      if (dead && state != EntryState::kDone) ++dead_;
      if (state != EntryState::kDone) lane.bytes += stored.chunk->message(i).bytes();
    }
  }

  void end() override {
    if (!queue_.checkpoint) return;
    lanes_.resize(std::max(lanes_.size(), lane_count(*queue_.checkpoint)));
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const LaneCheckpoint said = lane_at(*queue_.checkpoint, lane_begin(lane));
      const std::string in_lane = " in lane " + std::to_string(lane);
      compare("fresh messages" + in_lane, said.fresh, lanes_[lane].fresh);
      compare("bytes of bodies and attributes" + in_lane, said.bytes, lanes_[lane].bytes);
    }
    compare("dead letters", queue_.checkpoint->dead, dead_);
  }

 private:
  struct LaneCount {
    std::uint64_t fresh = 0;
    std::uint64_t bytes = 0;
  };

  LaneCount& count_of(Seq seq) {
    lanes_.resize(std::max(lanes_.size(), lane_of(seq) + 1));
    return lanes_[lane_of(seq)];
  }

  void compare(const std::string& what, std::uint64_t said, std::uint64_t counted) {
    if (said == counted) return;
    findings_.add("count_wrong", place("catalog", queue_.name, queue_.id),
                  "the checkpoint says " + std::to_string(said) + " " + what + ", there are " +
                      std::to_string(counted));
  }

  const QueueFacts& queue_;
  Findings& findings_;
  std::vector<LaneCount> lanes_;
  std::uint64_t dead_ = 0;
};

}  // namespace

std::unique_ptr<QueueCheck> make_counts_check(const Facts& /*facts*/, const QueueFacts& queue,
                                              Findings& findings) {
  return std::make_unique<CountsCheck>(queue, findings);
}

}  // namespace holdfast::verify
