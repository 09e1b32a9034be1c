// What is remembered of a message's failed deliveries.
#pragma once

#include <memory>

#include "holdfast/dead_letter.h"

namespace holdfast {

// The history with one more attempt; bounded. `before` may be null.
AttemptHistory with_attempt(const AttemptHistory* before, Attempt attempt);

// Histories of messages that fail alike share their memory, and a run in the rows of `deliveries`.
class AttemptSharing {
 public:
  std::shared_ptr<const AttemptHistory> add(const std::shared_ptr<const AttemptHistory>& before,
                                            const Attempt& attempt);

 private:
  std::shared_ptr<const AttemptHistory> before_;
  std::shared_ptr<const AttemptHistory> after_;
};

}  // namespace holdfast
