// These types hold what a queue knows of each message and chunk of its window.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/attempts.h"
#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// The hash of a group's name. Two names with one hash (the chance is 1 in 2^64 for any two) share their turns
// and their blocks, which costs speed and breaks no promise.
enum class GroupKey : std::uint64_t {};

enum class EntryState : std::uint8_t {
  kFresh = 0,      // not handed out since it was put at its place in the log
  kReady = 1,      // given back, to be handed out again
  kLeased = 2,     // handed out until `due`
  kWaiting = 3,    // given back, to be handed out from `due` on
  kExhausted = 4,  // failed its last delivery, expired or overflowed; about to leave the queue
  kDone = 5,       // acknowledged or moved away
};

// An Entry is one message of the window.
struct Entry {
  Timestamp due{};
  LeaseId lease{};              // of the last hand-out
  Timestamp first_failed_at{};  // of this life; the epoch if no delivery failed yet
  Timestamp last_failed_at{};
  std::shared_ptr<const Consumer> consumer;      // of the last hand-out; null if the consumer gave no name
  std::shared_ptr<const AttemptNotes> attempts;  // null if no delivery failed yet
  std::uint32_t deliveries = 0;                  // charged deliveries
  std::uint32_t bytes = 0;                       // size of body and attributes
  std::uint32_t held_ms = 0;                     // of the last hand-out: the length of the lease up to `due`
  std::uint32_t renewal_ms = 0;    // the lease's length after start(); 0 if start() does not change the lease
  FailureSlots described : 9 = 0;  // failures with a description on disk
  bool expired : 1 = false;        // the time to live ran out: the message leaves as soon as nobody holds it
  bool overflowed : 1 = false;     // exhausted to make room
  bool prefetched : 1 = false;     // leased, not started, and therefore not charged
  bool to_tail : 1 = false;        // waits to be moved behind all other messages once it is due
  EntryState state = EntryState::kFresh;
  std::uint8_t extended = 0;  // times that the lease was extended; 255 stands for 255 or more

  void set_described(unsigned slots) { described = slots & ((1U << kFailureSlots) - 1); }
};
static_assert(sizeof(Entry) <= 88, "docs/state-machine.md says what a message that was handed out takes");

// A ChunkState is one chunk of the window.
struct ChunkState {
  // `entries` has one entry for each message, fresh before the cursor comes; none while the chunk is packed.
  std::vector<Entry> entries;
  // While the chunk is packed, the bytes of each message, or a mark that the message is done. Nothing else is
  // kept, so only a chunk whose messages are all done or never handed out can be packed. Otherwise empty.
  std::vector<std::uint32_t> packed = {};
  // `groups` has the group of each message, on a queue with grouping. It is empty if the groups are still to
  // be read from the store.
  std::vector<GroupKey> groups = {};
  Timestamp sent_at{};          // of the first message; the epoch if it is still to be read from the store
  std::uint32_t done = 0;       // messages in kDone
  std::uint32_t ready = 0;      // messages in kReady
  std::uint32_t compacted = 0;  // done messages that the stored chunk is known to leave out
  // `next_due` is a lower bound of `due` over the entries: the chunk's place in the queue's timers. It is
  // max() if the chunk has no place there.
  Timestamp next_due = Timestamp::max();
  bool dead_letters = false;
  bool replayed = false;  // messages that were redriven, whose outcome is recorded
  bool open = false;      // in the commit group that is assembled: may grow, and is not in the store yet
  bool dirty = false;     // its row is to be written with the open group
  // `row_puts` says how often the chunk's row in `deliveries` was put. A row that was put once may be removed
  // by a single removal (Batch).
  enum class RowPuts : std::uint8_t { kNone, kOne, kMany } row_puts = RowPuts::kNone;

  std::size_t count() const { return packed.empty() ? entries.size() : packed.size(); }
  bool finished() const { return done == count(); }

  // Returns what is known of a message, whether the chunk is packed or not, except Entry::bytes: bytes_of()
  // has those.
  const Entry& entry(std::size_t index) const {
    return packed.empty() ? entries[index] : packed_entry(index);
  }
  std::uint32_t bytes_of(std::size_t index) const;
  // Packs the chunk, which then takes little memory, if its entries say no more than `packed` can.
  void pack();
  void unpack();
  // Moves deadlines and the times of failures by `by`, to another line of time.
  void shift(Duration by);

 private:
  const Entry& packed_entry(std::size_t index) const;
};

}  // namespace holdfast
