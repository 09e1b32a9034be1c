// The messages of a queue that wait outside its log, in `visibility`, until they are due and enter it: what
// was sent with a delay, and what came back with a wait beyond the horizon (park.cc). They cost no memory:
// known are only how many there are and where the first one lies.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "holdfast/time.h"

namespace holdfast {

// Names a row of `visibility` within its queue. Ascending, never reused.
enum class Ticket : std::uint64_t {};

struct SchedulePlace {
  Timestamp visible_at{};
  Ticket ticket{};

  friend auto operator<=>(const SchedulePlace&, const SchedulePlace&) = default;
};

class Schedule {
 public:
  Schedule() = default;
  // Recovery: the checkpoint's numbers; then expect() where there are any.
  Schedule(Ticket next_ticket, std::uint64_t messages, std::uint64_t bytes)
      : next_ticket_(next_ticket), first_valid_(Ticket{0}), messages_(messages), bytes_(bytes) {}

  // A new row, for messages due at that time.
  SchedulePlace open_row(Timestamp visible_at) {
    const SchedulePlace place{visible_at, next_ticket_};
    next_ticket_ = Ticket{static_cast<std::uint64_t>(next_ticket_) + 1};
    expect(place);
    return place;
  }
  void add_message(std::uint64_t bytes) {
    ++messages_;
    bytes_ += bytes;
  }

  // Every row lies at or after this place; none if there are no rows.
  const std::optional<SchedulePlace>& first() const { return first_; }
  Timestamp next_due() const { return first_ ? std::max(first_->visible_at, not_before_) : Timestamp::max(); }
  // There may be a row at this place.
  void expect(const SchedulePlace& place) { first_ = first_ ? std::min(*first_, place) : place; }
  // All rows known so far are about to be read: the reader expects() the ones that it leaves.
  void begin_reading() { first_.reset(); }

  // Reading failed: not again before that time.
  void pause_until(Timestamp time) { not_before_ = time; }

  // Whether a row that was read is still the queue's: not purged meanwhile.
  bool holds(const SchedulePlace& place) const { return place.ticket >= first_valid_; }
  void left(std::uint64_t messages, std::uint64_t bytes) {
    messages_ -= messages;
    bytes_ -= bytes;
  }

  void purge() {
    first_.reset();
    first_valid_ = next_ticket_;
    messages_ = 0;
    bytes_ = 0;
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }  // bodies and attributes
  Ticket next_ticket() const { return next_ticket_; }

 private:
  Ticket next_ticket_{0};
  Ticket first_valid_{0};
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<SchedulePlace> first_;
  Timestamp not_before_ = Timestamp::min();
};

}  // namespace holdfast
