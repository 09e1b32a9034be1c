// Checks that what consumers said of failed deliveries is there for each failure that has it, and for no
// other.
#include <map>

#include "engine/codec/dead_letters/failure.h"
#include "engine/codec/rows/carried.h"
#include "engine/core/seq_math.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

class FailureCheck final : public QueueCheck {
 public:
  FailureCheck(const Facts& facts, const QueueFacts& queue, Findings& findings)
      : queue_(queue), findings_(findings) {
    for_each_row(facts.reader, Family::kScheduled, keys::expiry_end(queue.id), keys::queue_end(queue.id),
                 findings, [&](std::string_view key, std::string_view value) { row(key, value); });
    // These descriptions belong to messages that wait outside the log.
    for_each_row(facts.reader, Family::kScheduled, keys::queue_begin(queue.id), keys::scheduled_end(queue.id),
                 findings, [&](std::string_view, std::string_view value) { scheduled(std::string(value)); });
  }

  void chunk(const StoredChunk& stored) override {
    if (!stored.state) return;
    for (std::uint32_t i = 0; i < stored.state->entries.size(); ++i) {
      const Entry& entry = stored.state->entries[i];
      if (entry.described == 0) continue;
      const bool moved = entry.attempts && entry.attempts->home != Seq{};
      expect(moved ? entry.attempts->home : stored.first + i, entry.described);
    }
  }

  void end() override {
    for (const auto& [home, slots] : rows_) {
      if (slots == 0) continue;
      findings_.add("failure_stray", where(home), "what was said of a failure that no message has");
    }
  }

 private:
  std::string where(Seq home) const { return place("scheduled", queue_.name, queue_.id, home); }

  void row(std::string_view key, std::string_view value) {
    const auto at = keys::parse_failure(key);
    if (!at || !decode_failure(value)) {
      findings_.add("undecodable", place("scheduled", queue_.name, queue_.id), "what was said of a failure");
    }
    if (at) rows_[at->home] = static_cast<FailureSlots>(rows_[at->home] | 1U << at->slot);
  }

  void scheduled(std::string row) {
    const auto chunk = Chunk::decode(std::move(row));
    if (!chunk) return;  // check_scheduled.cc reports it
    for (std::uint32_t i = 0; i < (*chunk)->count(); ++i) {
      const MessageView message = (*chunk)->message(i);
      if (message.carried.empty()) continue;
      const FailureHistory history = decode_carried(message.carried).history;
      if (history.described != 0) expect(history.home, history.described);
    }
  }

  void expect(Seq home, FailureSlots slots) {
    FailureSlots& there = rows_[home];
    if ((there & slots) != slots)
      findings_.add("failure_missing", where(home), "what was said of a failure is not there");
    there = static_cast<FailureSlots>(there & ~slots);
  }

  const QueueFacts& queue_;
  Findings& findings_;
  std::map<Seq, FailureSlots> rows_;
};

}  // namespace

std::unique_ptr<QueueCheck> make_failure_check(const Facts& facts, const QueueFacts& queue,
                                               Findings& findings) {
  return std::make_unique<FailureCheck>(facts, queue, findings);
}

}  // namespace holdfast::verify
