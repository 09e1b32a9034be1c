// Checks that the index of messages that expire names each of them in time: a message without a row would be
// handed out after its time to live.
#include <algorithm>
#include <map>

#include "engine/core/seq_math.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

class ExpiryCheck final : public QueueCheck {
 public:
  ExpiryCheck(const Facts& facts, const QueueFacts& queue, Findings& findings)
      : queue_(queue), findings_(findings) {
    for_each_row(facts.reader, Family::kScheduled, keys::scheduled_end(queue.id), keys::expiry_end(queue.id),
                 findings, [&](std::string_view key, std::string_view) { row(key); });
  }

  void chunk(const StoredChunk& stored) override {
    const auto indexed = rows_.find(stored.first);
    const Timestamp looked_at = indexed == rows_.end() ? kNever : indexed->second;
    if (stored.chunk->first_expiry() == kNever) return;
    for (std::uint32_t i = 0; i < stored.chunk->count(); ++i) {
      if (looked_at <= stored.chunk->message(i).expires_at || is_over(stored, i)) continue;
      findings_.add("expiry_missing", place("scheduled", queue_.name, queue_.id, stored.first + i),
                    "the message expires, and the index of these does not say so");
    }
  }

  void end() override {
    if (!queue_.checkpoint || first_ >= queue_.checkpoint->next_expiry) return;
    findings_.add("expiry_missing", place("catalog", queue_.name, queue_.id),
                  "messages expire before the time that the checkpoint gives");
  }

 private:
  void row(std::string_view key) {
    const auto at = keys::parse_expiry(key);
    if (!at) return findings_.add("undecodable", place("scheduled", queue_.name, queue_.id), "a key");
    first_ = std::min(first_, at->expires_at);
    const auto [known, added] = rows_.try_emplace(at->first, at->expires_at);
    if (!added) known->second = std::min(known->second, at->expires_at);
  }

  // Returns whether the message is gone, or is known to have expired.
  static bool is_over(const StoredChunk& stored, std::uint32_t index) {
    const EntryState state = stored.state_of(index);
    if (state == EntryState::kDone || state == EntryState::kExhausted) return true;
    return state != EntryState::kFresh && stored.state->entries[index].expired;
  }

  const QueueFacts& queue_;
  Findings& findings_;
  std::map<Seq, Timestamp> rows_;  // the earliest time of each chunk
  Timestamp first_ = kNever;
};

}  // namespace

std::unique_ptr<QueueCheck> make_expiry_check(const Facts& facts, const QueueFacts& queue,
                                              Findings& findings) {
  return std::make_unique<ExpiryCheck>(facts, queue, findings);
}

}  // namespace holdfast::verify
