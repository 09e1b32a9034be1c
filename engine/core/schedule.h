// What a queue knows of its rows in `scheduled`: of messages that wait there, outside the log, and of the
// times at which messages of the log expire.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "holdfast/time.h"

namespace holdfast {

// Names a row of `scheduled` within its queue. Ascending, never reused.
enum class Ticket : std::uint64_t {};

enum class WaitsFor : std::uint8_t {
  kDelay = 0,      // its end, in stored time (services/engine_clock.h)
  kTimeOfDay = 1,  // of the wall clock
};
inline constexpr std::array kWaits = {WaitsFor::kDelay, WaitsFor::kTimeOfDay};

struct SchedulePlace {
  Timestamp visible_at{};
  Ticket ticket{};
  WaitsFor what = WaitsFor::kDelay;

  friend auto operator<=>(const SchedulePlace&, const SchedulePlace&) = default;
};

// The messages of a queue that wait outside its log until they are due and enter it: what was sent with a
// delay, and what came back with a wait beyond the horizon (QueueState::kHorizon). They cost no memory: known
// are only how many there are and where the first ones lie: of those that wait for the end of a delay, and of
// those that wait for a time of day, which goes by another clock.
class Schedule {
 public:
  Schedule() = default;
  // Recovery: the checkpoint's numbers; then expect() where there are any.
  Schedule(Ticket next_ticket, std::uint64_t messages, std::uint64_t bytes)
      : next_ticket_(next_ticket), first_valid_(Ticket{0}), messages_(messages), bytes_(bytes) {}

  // A new row, for messages due at that time.
  SchedulePlace open_row(Timestamp visible_at, WaitsFor what) {
    const SchedulePlace place{visible_at, next_ticket_, what};
    next_ticket_ = Ticket{static_cast<std::uint64_t>(next_ticket_) + 1};
    expect(place);
    return place;
  }
  void add_message(std::uint64_t bytes) {
    ++messages_;
    bytes_ += bytes;
  }

  // Every row of the kind lies at or after this place; none if there are no rows.
  const std::optional<SchedulePlace>& first(WaitsFor what) const { return row(what).first; }
  // By the clock of the kind.
  Timestamp next_due(WaitsFor what) const {
    const Row& next = row(what);
    return next.first ? std::max(next.first->visible_at, next.not_before) : Timestamp::max();
  }
  // There may be a row at this place.
  void expect(const SchedulePlace& place) {
    auto& first = row(place.what).first;
    first = first ? std::min(*first, place) : place;
  }
  // All rows of the kind that are known so far are about to be read: the reader expects() those that it
  // leaves.
  void begin_reading(WaitsFor what) { row(what).first.reset(); }

  // Reading failed: not again before that time, by the clock of the kind.
  void pause_until(Timestamp time, WaitsFor what) { row(what).not_before = time; }

  // Whether a row that was read is still the queue's: not purged meanwhile.
  bool holds(const SchedulePlace& place) const { return place.ticket >= first_valid_; }
  void left(std::uint64_t messages, std::uint64_t bytes) {
    messages_ -= messages;
    bytes_ -= bytes;
  }

  void purge() {
    for (Row& next : rows_) next.first.reset();
    first_valid_ = next_ticket_;
    messages_ = 0;
    bytes_ = 0;
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }  // bodies and attributes
  Ticket next_ticket() const { return next_ticket_; }

 private:
  struct Row {
    std::optional<SchedulePlace> first;
    Timestamp not_before = Timestamp::min();
  };
  Row& row(WaitsFor what) { return rows_[static_cast<std::size_t>(what)]; }
  const Row& row(WaitsFor what) const { return rows_[static_cast<std::size_t>(what)]; }

  Ticket next_ticket_{0};
  Ticket first_valid_{0};
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<Row, kWaits.size()> rows_;
};

// When the next message of a queue expires. Which one it is says an index of chunks in `scheduled`.
class Expiries {
 public:
  // Nothing expires before. May be too early, never too late.
  Timestamp next() const { return next_; }
  // When to look, which is later only while reading is put off.
  Timestamp next_due() const { return next_ == Timestamp::max() ? next_ : std::max(next_, not_before_); }
  // Reading failed: not again before that time, unless a receive needs it.
  void pause_until(Timestamp time) { not_before_ = time; }
  // Something expires at `time`.
  void expect(Timestamp time) {
    next_ = std::min(next_, time);
    meanwhile_ = std::min(meanwhile_, time);
  }

  // Around a reading of the index: all that is due now is handled by its end, and `next` is the first that it
  // left. What is expected meanwhile counts too. A reading that fails does not end.
  void begin_reading() { meanwhile_ = Timestamp::max(); }
  void end_reading(Timestamp next) { next_ = std::min(next, meanwhile_); }

  void purge() { next_ = meanwhile_ = Timestamp::max(); }

 private:
  Timestamp next_ = Timestamp::max();
  Timestamp meanwhile_ = Timestamp::max();
  Timestamp not_before_ = Timestamp::min();
};

}  // namespace holdfast
