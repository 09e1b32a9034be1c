// What is remembered of a message's failed deliveries. What their consumers said of them is not here: it is
// on disk, in rows of which the window knows the places, so that its memory does not grow with them.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/limits.h"

namespace holdfast {

// One failed delivery.
struct AttemptNote {
  Timestamp failed_at{};
  AttemptEnd end = AttemptEnd::kLeaseExpired;
  std::uint8_t extended = 0;  // how often; 255: as often or more often
  std::uint32_t held_ms = 0;  // from the hand-out to the failure
  Consumer consumer = {};

  friend bool operator==(const AttemptNote&, const AttemptNote&) = default;
};

// The first limits::kFirstAttempts and the last limits::kLastAttempts of a life.
struct AttemptNotes {
  std::vector<AttemptNote> kept = {};
  std::uint32_t left_out = 0;  // how many were between the first and the last ones
  // Where the message was when its descriptions were written, if it has left that place: see FailurePlace.
  Seq home{};

  friend bool operator==(const AttemptNotes&, const AttemptNotes&) = default;
};

// The descriptions of a message's failures lie in slots: one for each attempt that is kept, and one for the
// delivery that goes on, whose consumer may say why it is to fail before it has.
inline constexpr std::size_t kFailureSlots = limits::kFirstAttempts + limits::kLastAttempts + 1;
// Bit n: slot n has a description.
using FailureSlots = std::uint16_t;
static_assert(kFailureSlots <= 9, "Entry::described has 9 bits");

// In milliseconds, to the nearest; what is below 0 or too long is the nearest that there is.
constexpr std::uint32_t whole_ms(Duration time) {
  const auto ms = std::chrono::round<std::chrono::milliseconds>(time).count();
  return static_cast<std::uint32_t>(std::clamp<decltype(ms)>(ms, 0, UINT32_MAX));
}

// Where descriptions lie on disk. A seq is never given to another message, so they stay where they are when
// the message moves: `home` is where it was.
struct FailurePlace {
  Seq home{};
  std::size_t slot = 0;

  friend auto operator<=>(const FailurePlace&, const FailurePlace&) = default;
};

// The slot of the n-th failed delivery of a life, counted from 0. The attempt that this one takes the slot of
// is no longer kept once this one has failed.
constexpr std::size_t failure_slot(std::uint64_t n) {
  constexpr std::uint64_t kLast = limits::kLastAttempts + 1;
  return n < limits::kFirstAttempts ? n : limits::kFirstAttempts + (n - limits::kFirstAttempts) % kLast;
}
// That of an attempt that is kept.
inline std::size_t failure_slot_of_kept(const AttemptNotes& notes, std::size_t index) {
  return failure_slot(index < limits::kFirstAttempts ? index : index + notes.left_out);
}
// That of the next one to fail; `notes` may be null.
inline std::size_t next_failure_slot(const AttemptNotes* notes) {
  return notes == nullptr ? 0 : failure_slot(notes->kept.size() + std::uint64_t{notes->left_out});
}

// What failed with a message, for its failure record.
struct FailureHistory {
  std::uint32_t deliveries = 0;
  Timestamp first_failed_at{};
  Timestamp last_failed_at{};
  std::shared_ptr<const Consumer> consumer;
  std::shared_ptr<const AttemptNotes> attempts;  // null: none failed
  bool expired = false;
  bool overflowed = false;
  FailureSlots described = 0;  // which have a description on disk, and where
  Seq home{};
};

// The notes with one more; bounded. `before` may be null.
AttemptNotes with_attempt(const AttemptNotes* before, AttemptNote attempt);

// Notes of messages that fail alike share their memory, and a run in the rows of `deliveries`.
class AttemptSharing {
 public:
  std::shared_ptr<const AttemptNotes> add(const std::shared_ptr<const AttemptNotes>& before,
                                          const AttemptNote& attempt);

 private:
  std::shared_ptr<const AttemptNotes> before_;
  std::shared_ptr<const AttemptNotes> after_;
};

}  // namespace holdfast
