// Checks that the checkpoint's counts are those of the rows.
#include "engine/verify/checks.h"

namespace holdfast::verify {
namespace {

class CountsCheck final : public QueueCheck {
 public:
  CountsCheck(const QueueFacts& queue, Findings& findings) : queue_(queue), findings_(findings) {}

  void chunk(const StoredChunk& stored) override {
    const bool dead = stored.chunk->kind() == ChunkKind::kDeadLetters;
    for (std::uint32_t i = 0; i < stored.chunk->count(); ++i) {
      const EntryState state = stored.state_of(i);
      if (state == EntryState::kFresh) ++fresh_;
      if (dead && state != EntryState::kDone) ++dead_;
      if (state != EntryState::kDone) bytes_ += stored.chunk->message(i).bytes();
    }
  }

  void end() override {
    if (!queue_.checkpoint) return;
    std::uint64_t fresh = queue_.checkpoint->fresh;
    std::uint64_t bytes = queue_.checkpoint->bytes;
    for (const LaneCheckpoint& lane : queue_.checkpoint->lanes) {
      fresh += lane.fresh;
      bytes += lane.bytes;
    }
    compare("fresh messages", fresh, fresh_);
    compare("bytes of bodies and attributes", bytes, bytes_);
    compare("dead letters", queue_.checkpoint->dead, dead_);
  }

 private:
  void compare(const std::string& what, std::uint64_t said, std::uint64_t counted) {
    if (said == counted) return;
    findings_.add("count_wrong", place("catalog", queue_.name, queue_.id),
                  "the checkpoint says " + std::to_string(said) + " " + what + ", there are " +
                      std::to_string(counted));
  }

  const QueueFacts& queue_;
  Findings& findings_;
  std::uint64_t fresh_ = 0;
  std::uint64_t dead_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<QueueCheck> make_counts_check(const Facts& /*facts*/, const QueueFacts& queue,
                                              Findings& findings) {
  return std::make_unique<CountsCheck>(queue, findings);
}

}  // namespace holdfast::verify
