#include "client/worker/failed_letters.h"

#include "client/worker/backoff.h"

namespace holdfast::worker {

void FailedLetters::failed(Seq seq, Timestamp time) {
  const auto found = known_.find(seq);
  if (found == known_.end() && known_.size() == kRemembered) return;
  Failure& failure = known_[seq];
  failure.again_at = time + backoff(first_, cap_, ++failure.times);
}

bool FailedLetters::is_due(Seq seq, Timestamp time) {
  const auto found = known_.find(seq);
  if (found == known_.end()) return true;
  found->second.seen = true;
  return found->second.again_at <= time;
}

void FailedLetters::begin_pass() {
  if (complete_) std::erase_if(known_, [](const auto& known) { return !known.second.seen; });
  for (auto& [seq, failure] : known_) failure.seen = false;
  complete_ = true;
}

void FailedLetters::abandon_pass() { complete_ = false; }

}  // namespace holdfast::worker
