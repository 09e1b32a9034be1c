#include "engine/core/attempts.h"

#include <utility>

#include "engine/base/helpers/costly_check.h"

namespace holdfast {

AttemptNotes with_attempt(const AttemptNotes* before, AttemptNote attempt) {
  AttemptNotes notes = before == nullptr ? AttemptNotes{} : *before;
  notes.kept.push_back(std::move(attempt));
  if (notes.kept.size() > limits::kFirstAttempts + limits::kLastAttempts) {
    notes.kept.erase(notes.kept.begin() + limits::kFirstAttempts);
    ++notes.left_out;
  }
  HOLDFAST_CHECK(notes.kept.size() <= limits::kFirstAttempts + limits::kLastAttempts,
                 "no more attempts are kept than there are slots for");
  return notes;
}

std::shared_ptr<const AttemptNotes> AttemptSharing::add(const std::shared_ptr<const AttemptNotes>& before,
                                                        const AttemptNote& attempt) {
  if (after_ == nullptr || before_ != before || after_->kept.back() != attempt) {
    after_ = std::make_shared<const AttemptNotes>(with_attempt(before.get(), attempt));
    before_ = before;
  }
  HOLDFAST_COSTLY_CHECK(*after_ == with_attempt(before.get(), attempt),
                        "notes that messages share are those that each of them would have alone");
  return after_;
}

}  // namespace holdfast
