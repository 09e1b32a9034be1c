// These classes hold what a queue knows of its rows in `scheduled`: of the messages that wait there, outside
// the log, and of the times at which messages of the log expire.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "holdfast/time.h"

namespace holdfast {

// Names a row of `scheduled` within its queue. Tickets ascend and are never used again.
enum class Ticket : std::uint64_t {};

enum class WaitsFor : std::uint8_t {
  kDelay = 0,      // the end of a delay, in stored time (services/engine_clock.h)
  kTimeOfDay = 1,  // a time of day, by the wall clock
};
inline constexpr std::array kWaits = {WaitsFor::kDelay, WaitsFor::kTimeOfDay};

struct SchedulePlace {
  Timestamp visible_at{};
  Ticket ticket{};
  WaitsFor what = WaitsFor::kDelay;

  friend auto operator<=>(const SchedulePlace&, const SchedulePlace&) = default;
};

// Messages of a queue wait in its schedule, outside its log, until they are due, and then enter it. They were
// sent with a delay, or came back with a wait beyond the horizon (LaneState::kHorizon). They cost no memory:
// the engine knows only how many there are, and where the first rows lie. It knows the first row of each kind
// of wait, because a delay and a time of day go by different clocks.
class Schedule {
 public:
  Schedule() = default;
  // Constructs the schedule for recovery, with the numbers of a checkpoint. expect() follows for each kind
  // that has rows.
  Schedule(Ticket next_ticket, std::uint64_t messages, std::uint64_t bytes)
      : next_ticket_(next_ticket), first_valid_(Ticket{0}), messages_(messages), bytes_(bytes) {}

  // Makes a new row, for messages that are due at `visible_at`.
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

  // Returns a place before which no row of the kind lies, or nothing if the kind has no rows.
  const std::optional<SchedulePlace>& first(WaitsFor what) const { return row(what).first; }
  // Returns when the first row of the kind is due, by the clock of that kind; max() if it has no rows.
  Timestamp next_due(WaitsFor what) const {
    const auto& first = row(what).first;
    return first ? first->visible_at : Timestamp::max();
  }
  // Says that there may be a row at this place.
  void expect(const SchedulePlace& place) {
    auto& first = row(place.what).first;
    first = first ? std::min(*first, place) : place;
  }
  // Says that the caller is about to read all rows of the kind that are known so far. The caller calls
  // expect() for those that it leaves.
  void begin_reading(WaitsFor what) { row(what).first.reset(); }

  // Says that reading failed: the kind is not to be read before `time`, by the engine's clock, which nobody
  // sets back.
  void pause_until(Timestamp time, WaitsFor what) { row(what).not_before = time; }
  Timestamp not_before(WaitsFor what) const { return row(what).not_before; }

  // Returns whether a row that was read still belongs to the queue. A purge since then has removed it.
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

// An Expiries knows when a queue's next message expires. An index of chunks in `scheduled` names the message.
class Expiries {
 public:
  // Returns a time before which nothing expires. It may be too early, and is never too late.
  Timestamp next() const { return next_; }
  // Returns when the index is to be read. That is later than next() only after a reading failed.
  Timestamp next_due() const { return next_ == Timestamp::max() ? next_ : std::max(next_, not_before_); }
  // Says that reading failed: next_due() is not before `time`. A receive that needs the index reads it
  // earlier.
  void pause_until(Timestamp time) { not_before_ = time; }
  // Says that a message expires at `time`.
  void expect(Timestamp time) {
    next_ = std::min(next_, time);
    meanwhile_ = std::min(meanwhile_, time);
  }

  // The owner calls these before and after it reads the index. By the end it has handled all that is due, and
  // `next` is the first time that it left. The times expected during the reading count too. If the reading
  // fails, end_reading() is not called.
  void begin_reading() { meanwhile_ = Timestamp::max(); }
  void end_reading(Timestamp next) { next_ = std::min(next, meanwhile_); }

  void purge() { next_ = meanwhile_ = Timestamp::max(); }

 private:
  Timestamp next_ = Timestamp::max();
  Timestamp meanwhile_ = Timestamp::max();
  Timestamp not_before_ = Timestamp::min();
};

}  // namespace holdfast
