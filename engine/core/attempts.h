// These types hold what the engine remembers in memory of a message's failed deliveries. The descriptions
// that consumers gave of failures are not part of it: they lie on disk, in rows whose places the window
// knows, so that the window's memory does not grow with them.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/helpers/check.h"
#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/limits.h"

namespace holdfast {

// An AttemptNote describes one failed delivery.
struct AttemptNote {
  Timestamp failed_at{};
  AttemptEnd end = AttemptEnd::kLeaseExpired;
  std::uint8_t extended = 0;  // times that the lease was extended; 255 stands for 255 or more
  std::uint32_t held_ms = 0;  // from the hand-out to the failure
  Consumer consumer = {};

  friend bool operator==(const AttemptNote&, const AttemptNote&) = default;
};

// AttemptNotes has the first limits::kFirstAttempts and the last limits::kLastAttempts failed deliveries of
// one life of a message.
struct AttemptNotes {
  std::vector<AttemptNote> kept = {};
  std::uint32_t left_out = 0;  // failed deliveries between the first and the last ones, which are not kept
  // `home` is the place that the message had when its descriptions were written, if it has left that place
  // (FailurePlace); otherwise Seq{}.
  Seq home{};

  friend bool operator==(const AttemptNotes&, const AttemptNotes&) = default;
};

// The descriptions of a message's failures lie in slots. There is one slot for each attempt that is kept, and
// one for the delivery that goes on, because a consumer may describe a failure before the delivery has
// failed.
inline constexpr std::size_t kFailureSlots = limits::kFirstAttempts + limits::kLastAttempts + 1;
// A set of slots: bit n says that slot n has a description.
using FailureSlots = std::uint16_t;
static_assert(kFailureSlots <= 9, "Entry::described has 9 bits");

// Returns a duration in whole milliseconds, rounded to the nearest. A negative duration gives 0, and one that
// is too long gives UINT32_MAX.
constexpr std::uint32_t whole_ms(Duration time) {
  const auto ms = std::chrono::round<std::chrono::milliseconds>(time).count();
  return static_cast<std::uint32_t>(std::clamp<decltype(ms)>(ms, 0, UINT32_MAX));
}

// A FailurePlace says where one description lies on disk. A seq is never given to a second message. Therefore
// the descriptions stay in their rows when the message moves, and `home` is the place that the message had
// when they were written.
struct FailurePlace {
  Seq home{};
  std::size_t slot = 0;

  friend auto operator<=>(const FailurePlace&, const FailurePlace&) = default;
};

// Returns the slot of the n-th failed delivery of a life, counted from 0. If an earlier attempt has the same
// slot, that attempt is no longer kept once the n-th delivery has failed.
constexpr std::size_t failure_slot(std::uint64_t n) {
  constexpr std::uint64_t kLast = limits::kLastAttempts + 1;
  return n < limits::kFirstAttempts ? n : limits::kFirstAttempts + (n - limits::kFirstAttempts) % kLast;
}
// Returns the slot of an attempt that is kept: of `notes.kept[index]`.
inline std::size_t failure_slot_of_kept(const AttemptNotes& notes, std::size_t index) {
  HOLDFAST_CHECK(index < notes.kept.size(), "only an attempt that is kept has a slot");
  return failure_slot(index < limits::kFirstAttempts ? index : index + notes.left_out);
}
// Returns the slot of the delivery that fails next. `notes` may be null if none has failed yet.
inline std::size_t next_failure_slot(const AttemptNotes* notes) {
  return notes == nullptr ? 0 : failure_slot(notes->kept.size() + std::uint64_t{notes->left_out});
}

// A failure record needs to know this of a message's deliveries.
struct FailureHistory {
  std::uint32_t deliveries = 0;
  Timestamp first_failed_at{};
  Timestamp last_failed_at{};
  std::shared_ptr<const Consumer> consumer;
  std::shared_ptr<const AttemptNotes> attempts;  // null if no delivery failed
  bool expired = false;
  bool overflowed = false;
  FailureSlots described = 0;  // slots with a description on disk, at `home`
  Seq home{};
};

// Returns the notes with one more attempt. Attempts between the first and the last ones are dropped, so the
// result is bounded. `before` may be null.
AttemptNotes with_attempt(const AttemptNotes* before, AttemptNote attempt);

// Lets messages that fail in the same way, one after another, share one object of notes. They then take
// little memory, and their rows in `deliveries` can store them as a run.
class AttemptSharing {
 public:
  std::shared_ptr<const AttemptNotes> add(const std::shared_ptr<const AttemptNotes>& before,
                                          const AttemptNote& attempt);

 private:
  std::shared_ptr<const AttemptNotes> before_;
  std::shared_ptr<const AttemptNotes> after_;
};

}  // namespace holdfast
