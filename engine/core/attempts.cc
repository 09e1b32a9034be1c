#include "core/attempts.h"

#include <utility>

#include "holdfast/limits.h"

namespace holdfast {

AttemptHistory with_attempt(const AttemptHistory* before, Attempt attempt) {
  AttemptHistory history = before == nullptr ? AttemptHistory{} : *before;
  history.kept.push_back(std::move(attempt));
  if (history.kept.size() > limits::kFirstAttempts + limits::kLastAttempts) {
    history.kept.erase(history.kept.begin() + limits::kFirstAttempts);
    ++history.left_out;
  }
  return history;
}

std::shared_ptr<const AttemptHistory> AttemptSharing::add(const std::shared_ptr<const AttemptHistory>& before,
                                                          const Attempt& attempt) {
  if (after_ == nullptr || before_ != before || after_->kept.back() != attempt) {
    after_ = std::make_shared<const AttemptHistory>(with_attempt(before.get(), attempt));
    before_ = before;
  }
  return after_;
}

}  // namespace holdfast
