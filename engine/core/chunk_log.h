// The log knows in which chunks one lane's messages lie, and how far the cursor has come. The cursor is
// the first seq that was never handed out in order. MessageStates keeps the states of the messages and the
// counts.
//  - The window (window.h) has the chunks that the cursor has reached and that are not finished, and the
//    detached chunks.
//  - From the cursor on, every message is ready by definition and costs no memory. There are two exceptions.
//    Of the next few chunks, those ahead, the sizes are known, so that a receive need not ask the store.
//    Detached chunks are chunks of the window past the cursor, from which single messages were taken. If
//    nobody has touched the other messages of a detached chunk, it keeps only done marks and sizes
//    (chunk_state.cc).
#pragma once

#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/core/chunk_span.h"
#include "engine/core/delivery.h"
#include "engine/core/window.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

class ChunkLog {
 public:
  // The log remembers up to this many chunks ahead of the cursor.
  static constexpr std::size_t kAheadChunks = 128;

  // Constructs the log for recovery, with the numbers of a checkpoint. restore() follows for each row of
  // `deliveries`, in ascending order.
  ChunkLog(Seq next_seq, Seq cursor) : next_seq_(next_seq), cursor_(cursor), ahead_end_(cursor) {}
  Window::iterator restore(Seq first, ChunkState chunk);

  // --- what is there ---

  Seq next_seq() const { return next_seq_; }
  Seq cursor() const { return cursor_; }
  // Returns a seq before which every chunk is gone.
  Seq head() const;
  Window& window() { return window_; }
  const Window& window() const { return window_; }
  // Returns whether a message that is in no chunk of the window exists and was never touched.
  bool is_untouched(Seq seq) const;
  // Returns the status of a message, or nothing if the message is done. The message's chunk must be in the
  // store.
  std::optional<MessageStatus> peek(Seq seq) const;
  // Returns whether the message may be taken out of turn. kValid: it may. kStale: it is leased or exhausted.
  // kGone: it does not exist.
  ReceiptCheck check_free(Seq seq) const;

  // --- the open commit group ---

  // Begins a chunk, to which append() appends the messages that follow.
  void open_chunk(bool dead_letters, Timestamp sent_at, bool replayed);
  // Returns the chunk that was opened last in this group, or null if the group has none.
  const ChunkSpan* last_open() const { return open_.empty() ? nullptr : &open_.back(); }
  // Appends one message, whose seq is next_seq(), to the chunk that was opened last. There must be such a
  // chunk. `group` may be null. If the chunk is in the window already, the message's entry is made there, the
  // caller still has to add the message's group, and the chunk is returned; otherwise end().
  Window::iterator append(std::uint32_t bytes, const GroupKey* group);
  // Takes the chunks of the open group. The caller passes each to close_chunk(), because they reach the store
  // now.
  std::vector<ChunkSpan> take_open();
  // Marks a chunk as stored. Returns it if it is in the window, otherwise end().
  Window::iterator close_chunk(ChunkSpan&& span);

  // --- the cursor ---

  // Moves the cursor to the next chunk if its present chunk has ended, and brings that chunk into the window.
  // Returns the cursor's chunk, or end() if none is known.
  Window::iterator enter_next();
  // Moves the cursor through chunks of the window to the next fresh message, and returns when the first
  // message of that message's chunk was sent. Returns nothing if the store must be asked.
  std::optional<Timestamp> next_sent_at();
  void move_cursor(Seq to) {
    HOLDFAST_CHECK(cursor_ <= to, "the cursor never goes back");
    cursor_ = to;
  }
  // Brings a chunk past the cursor into the window, because a message of it is taken out of turn.
  Window::iterator detach(const ChunkSpan& span);

  // --- chunks that leave ---

  // Removes a finished chunk. Returns whether it lay past the cursor.
  bool erase(Window::iterator chunk);
  // Removes a chunk past the cursor as a whole. Returns false, and changes nothing, if the chunk is in the
  // window or the cursor has passed its first message.
  bool erase_untouched(const ChunkSpan& span);
  // Turns on or off that the log remembers chunks that finish past the cursor. Such a chunk leaves no trace
  // in the log, as if nobody had ever touched it, while somebody who reads the store without the lock may
  // still see it. While the log remembers, is_untouched() says that the messages of such chunks are gone.
  void remember_finished(bool on);
  void purge();

  // --- what the store must be asked for ---

  // Returns the seq from which the store must be read before the cursor can go on. Returns nothing if the
  // next chunk is known, or if the store has none that is not known here.
  std::optional<Seq> load_from() const;
  // Returns a seq before which every chunk is known, or gone.
  Seq ahead_end() const { return ahead_end_; }
  // Adds the store's chunks from ahead_end() on, which are complete up to `end`.
  void add_ahead(std::span<const ChunkSpan> chunks, Seq end);
  // Forgets the groups of all messages. The store is then asked again for the chunks ahead.
  void forget_groups();

 private:
  // Returns the detached chunk that the cursor reaches before any chunk of ahead_, or end().
  Window::const_iterator next_detached() const;
  // Moves the cursor through chunks of the window to the next fresh message. Returns that message's chunk, or
  // end() if the window has none.
  Window::const_iterator pass_taken();
  // Makes a chunk for the window, with an entry for each message.
  ChunkState state_of(const ChunkSpan& span) const;
  // Removes the chunk that begins at `first` from ahead_, if it is there.
  void remove_ahead(Seq first);
  void note_finished(Seq first, std::uint32_t count);

  Seq next_seq_;
  Seq cursor_;
  Window window_;
  // Unlike std::deque, this container takes no memory while it is empty, and there may be many idle queues.
  boost::container::deque<ChunkSpan> ahead_;
  Seq ahead_end_;                // every chunk before this is in ahead_, in window_ or gone
  std::vector<ChunkSpan> open_;  // chunks begun in the open group; the last one still grows
  // `finished_` has the chunks that finished past the cursor, with the number of messages of each, while the
  // log remembers them.
  std::unique_ptr<std::map<Seq, std::uint32_t>> finished_;
};

}  // namespace holdfast
