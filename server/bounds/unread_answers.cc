#include "server/bounds/unread_answers.h"

#include <utility>
#include <vector>

namespace holdfast::server {

void UnreadAnswers::Room::on_loss(std::function<void()> leave) {
  const sync::Lock lock(answers_.mutex_);
  leave_ = std::move(leave);
}

void UnreadAnswers::Room::hold(std::size_t bytes, Time now) {
  const sync::Lock lock(answers_.mutex_);
  leave_the_held(State::kEmpty);
  if (bytes == 0) return;
  place_ = answers_.held_.insert(answers_.held_.end(), this);
  state_ = State::kHeld;
  answers_.bytes_ += bytes;
  bytes_ = bytes;
  moved_ = now;
}

void UnreadAnswers::Room::moved(Time now) {
  const sync::Lock lock(answers_.mutex_);
  if (state_ != State::kHeld) return;
  moved_ = now;
  answers_.held_.splice(answers_.held_.end(), answers_.held_, place_);
}

void UnreadAnswers::Room::release() {
  const sync::Lock lock(answers_.mutex_);
  leave_the_held(State::kEmpty);
}

bool UnreadAnswers::Room::is_lost() const {
  const sync::Lock lock(answers_.mutex_);
  return state_ == State::kLost;
}

void UnreadAnswers::Room::leave_the_held(State state) {
  if (std::exchange(state_, state) != State::kHeld) return;
  answers_.held_.erase(place_);
  answers_.bytes_ -= bytes_;
}

bool UnreadAnswers::admit(std::size_t bytes, const ServerLimits& limits, Time now) {
  std::vector<std::function<void()>> leaving;
  {
    const sync::Lock lock(mutex_);
    std::vector<Room*> losers;
    std::size_t left = bytes_;
    for (auto next = held_.begin(); left > 0 && left + bytes > limits.max_total_send_bytes; ++next) {
      Room& room = **next;                 // there is one, for all of them together have `left`
      room.answers_.mutex_.assert_held();  // the room is one of these rooms
      if (now - room.moved_ < limits.give_way_timeout) return false;
      left -= room.bytes_;
      losers.push_back(&room);
    }
    for (Room* room : losers) {
      room->answers_.mutex_.assert_held();
      room->leave_the_held(Room::State::kLost);
      leaving.push_back(room->leave_);
    }
  }
  for (const auto& leave : leaving) leave();
  return true;
}

}  // namespace holdfast::server
