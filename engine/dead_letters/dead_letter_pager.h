// Fills a page with dead letters, as callers see them, of one queue or of several.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "engine/context/context.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

class DeadLetterPager {
 public:
  using Take = std::function<void(DeadLetter letter)>;
  // `take` gets at most `max` dead letters, and fewer if their bodies and attributes are large.
  DeadLetterPager(EngineContext& engine, std::size_t max, bool bodies, const Redaction& redact, Take take)
      : engine_(engine), max_(max), bodies_(bodies), redact_(redact), take_(std::move(take)) {}

  // An End says where a queue's part of the page ended.
  struct End {
    bool whole = true;  // nothing of the queue is left
    // If something is left, the last place that was looked at, or none for the beginning of the queue.
    std::optional<DeadLetterCursor> after = {};
    bool scanned = false;  // see WalkCost::scanned
  };
  // Adds the dead letters of the queue that the filter means, after the place `after`. The page must not be
  // full.
  Result<End> add(QueueId queue, const DeadLetterFilter& filter, const std::optional<DeadLetterCursor>& after,
                  bool newest_first) HOLDFAST_EXCLUDES(inside_gate);

  // Returns whether the page has all that it may have, or the search has cost all that it may.
  bool full() const;

 private:
  Result<Walk> visit(QueueId queue, const DeadLetterCursor& place, DeadLetterRow& row)
      HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  const std::size_t max_;
  const bool bodies_;
  const Redaction& redact_;
  const Take take_;
  std::size_t taken_ = 0;
  std::size_t bytes_ = 0;  // of the dead letters that were taken
  WalkCost cost_;
};

}  // namespace holdfast
