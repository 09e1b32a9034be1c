// The tally has the number of messages of one lane in each state, and their bytes. MessageStates tells it of
// every change, so nobody has to count.
#pragma once

#include <cstdint>

#include "engine/base/helpers/check.h"
#include "engine/core/chunk_state.h"
#include "holdfast/queue.h"

namespace holdfast {

class Tally {
 public:
  Tally() = default;
  // Constructs the tally for recovery, with the numbers of a checkpoint. These count as fresh only the
  // messages that have no row of their own; restore() follows for each of the others.
  Tally(std::uint64_t fresh, std::uint64_t dead, std::uint64_t bytes)
      : fresh_(fresh), dead_(dead), bytes_(bytes), ready_bytes_(bytes) {}

  // Counts a message of a chunk that is restored. The checkpoint counts the bytes of every message, and the
  // fresh messages themselves.
  void restore(const Entry& entry) {
    if (entry.state == EntryState::kFresh || entry.state == EntryState::kDone) return;
    if (entry.state != EntryState::kReady) ready_bytes_ -= entry.bytes;
    enter(entry.state, 0);
    if (entry.state == EntryState::kExhausted) leaving_bytes_ += entry.bytes;
  }

  void append(std::uint32_t bytes, bool dead_letter) {
    ++fresh_;
    if (dead_letter) ++dead_;
    bytes_ += bytes;
    ready_bytes_ += bytes;
  }

  // Counts a message of `bytes` bytes that changes its state. A message that is done leaves the queue.
  void change(EntryState from, EntryState to, std::uint32_t bytes) {
    leave(from, bytes);
    enter(to, bytes);
    if (to == EntryState::kDone) bytes_ -= bytes;
  }

  void remove_dead_letter() { --dead_; }
  // Counts a chunk of dead letters, all of them fresh, that leaves the queue.
  void remove_fresh_dead_letters(std::uint32_t count, std::uint64_t bytes) {
    HOLDFAST_CHECK(count <= fresh_ && count <= dead_,
                   "a chunk of dead letters that nobody has touched is counted");
    fresh_ -= count;
    dead_ -= count;
    bytes_ -= bytes;
    ready_bytes_ -= bytes;
  }

  std::uint64_t fresh() const { return fresh_; }
  std::uint64_t returned() const { return returned_; }  // in EntryState::kReady
  std::uint64_t ready() const { return fresh_ + returned_; }
  std::uint64_t waiting() const { return waiting_; }  // includes exhausted messages
  std::uint64_t leased() const { return leased_; }
  std::uint64_t dead() const { return dead_; }
  // These return bytes of bodies and attributes: of all messages in the log, of those that may be handed out,
  // and of the exhausted ones.
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t ready_bytes() const { return ready_bytes_; }
  std::uint64_t leaving_bytes() const { return leaving_bytes_; }

  QueueCounts counts() const {
    return {.ready = ready(), .waiting = waiting_, .leased = leased_, .dead = dead_};
  }

 private:
  void leave(EntryState state, std::uint32_t bytes) {
    switch (state) {
      case EntryState::kFresh:
        --fresh_;
        ready_bytes_ -= bytes;
        break;
      case EntryState::kReady:
        HOLDFAST_CHECK(returned_ > 0, "a message that came back is counted");
        --returned_;
        ready_bytes_ -= bytes;
        break;
      case EntryState::kLeased:
        HOLDFAST_CHECK(leased_ > 0, "a leased message is counted");
        --leased_;
        break;
      case EntryState::kWaiting:
        HOLDFAST_CHECK(waiting_ > 0, "a waiting message is counted");
        --waiting_;
        break;
      case EntryState::kExhausted:
        HOLDFAST_CHECK(waiting_ > 0 && leaving_bytes_ >= bytes, "an exhausted message is counted");
        --waiting_;
        leaving_bytes_ -= bytes;
        break;
      case EntryState::kDone:
        break;
    }
  }
  void enter(EntryState state, std::uint32_t bytes) {
    switch (state) {
      case EntryState::kFresh:
        ++fresh_;
        ready_bytes_ += bytes;
        break;
      case EntryState::kReady:
        ++returned_;
        ready_bytes_ += bytes;
        break;
      case EntryState::kLeased:
        ++leased_;
        break;
      case EntryState::kWaiting:
        ++waiting_;
        break;
      case EntryState::kExhausted:
        ++waiting_;
        leaving_bytes_ += bytes;
        break;
      case EntryState::kDone:
        break;
    }
  }

  std::uint64_t fresh_ = 0;
  std::uint64_t returned_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t leased_ = 0;
  std::uint64_t dead_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t ready_bytes_ = 0;
  std::uint64_t leaving_bytes_ = 0;
};

}  // namespace holdfast
