// What a queue knows of the messages that its cursor has reached: its window.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/attempts.h"
#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// A group's name, hashed. Two names with one hash (1 in 2^64 for any two) share their turns and their block,
// which costs speed and breaks no promise.
enum class GroupKey : std::uint64_t {};

enum class EntryState : std::uint8_t {
  kFresh = 0,      // not handed out since it was put at its place in the log
  kReady = 1,      // given back, to be handed out again
  kLeased = 2,     // handed out until `due`
  kWaiting = 3,    // given back, to be handed out from `due` on
  kExhausted = 4,  // failed its last delivery, about to move to the dead letter queue
  kDone = 5,       // acknowledged or moved away
};

// One message of the window.
struct Entry {
  Timestamp due{};
  LeaseId lease{};              // of its last hand-out
  Timestamp first_failed_at{};  // in this life; the epoch if no delivery failed yet
  Timestamp last_failed_at{};
  std::shared_ptr<const Consumer> consumer;      // of its last hand-out; null if it gave no name
  std::shared_ptr<const AttemptNotes> attempts;  // null if no delivery failed yet
  std::uint32_t deliveries = 0;                  // charged ones
  std::uint32_t bytes = 0;                       // of its body and attributes
  std::uint32_t held_ms = 0;                     // of its last hand-out: the lease's length up to `due`
  std::uint32_t renewal_ms = 0;                  // how long start() makes its lease; 0: start() leaves it
  FailureSlots described : 9 = 0;                // which failures have a description on disk
  bool expired : 1 = false;     // its time to live ran out: it goes as soon as nobody holds it
  bool overflowed : 1 = false;  // exhausted to make room
  bool prefetched : 1 = false;  // leased and not started: not charged
  bool to_tail : 1 = false;     // waiting to be moved behind all others, once it is due
  EntryState state = EntryState::kFresh;
  std::uint8_t extended = 0;  // how often its lease was extended; 255: as often or more often

  void set_described(unsigned slots) { described = slots & ((1U << kFailureSlots) - 1); }
};
static_assert(sizeof(Entry) <= 88, "docs/state-machine.md says what a message that was handed out takes");

// One chunk of the window.
struct ChunkState {
  // One for each message; fresh where the cursor has not been yet. None while the chunk is packed.
  std::vector<Entry> entries;
  // All that is kept of a packed chunk's messages, each of which is done or was never handed out: of each its
  // bytes, or a mark that it is done. Empty if the chunk is not packed.
  std::vector<std::uint32_t> packed = {};
  // On a queue with grouping, each message's group; empty if they are still to be read from the store.
  std::vector<GroupKey> groups = {};
  Timestamp sent_at{};          // of its first message; the epoch if it is still to be read from the store
  std::uint32_t done = 0;       // how many are kDone
  std::uint32_t ready = 0;      // how many are kReady
  std::uint32_t compacted = 0;  // how many of the done ones are known to be left out of the stored chunk
  // A lower bound of its entries' `due`: its place in the queue's timers. max() if it has none there.
  Timestamp next_due = Timestamp::max();
  bool dead_letters = false;
  bool replayed = false;  // messages that were redriven: somebody wants to know what becomes of them
  bool open = false;      // in the commit group being assembled: may grow, is not in the store yet
  bool dirty = false;     // its row is to be written with the open group
  // How often its row in `deliveries` was put. A row put once can be removed once (see Batch).
  enum class RowPuts : std::uint8_t { kNone, kOne, kMany } row_puts = RowPuts::kNone;

  std::size_t count() const { return packed.empty() ? entries.size() : packed.size(); }
  bool finished() const { return done == count(); }

  // What is known of a message, packed or not; but for Entry::bytes, which bytes_of() has.
  const Entry& entry(std::size_t index) const {
    return packed.empty() ? entries[index] : packed_entry(index);
  }
  std::uint32_t bytes_of(std::size_t index) const;
  // Keeps the entries in little memory, if they have nothing to tell but what `packed` can.
  void pack();
  void unpack();
  // Deadlines and times of failures, as another line of time has them.
  void shift(Duration by);

 private:
  const Entry& packed_entry(std::size_t index) const;
};

}  // namespace holdfast
