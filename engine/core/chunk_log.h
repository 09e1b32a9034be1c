// The places of one lane's messages: which chunks there are, and how far the cursor has come, which is the
// first seq that was never handed out in order. What state a message is in, and what is counted of that, is
// for MessageStates.
//   - Before the cursor is the window (window.h).
//   - From the cursor on everything is ready by definition and costs no memory, but for
//       ahead     the sizes of the next few chunks, so that a receive need not ask the store, and
//       detached  chunks of the window past the cursor, from which single messages were taken. Of those that
//                 nobody has touched otherwise only done marks and sizes are kept: see chunk_state.cc.
#pragma once

#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/chunk_span.h"
#include "engine/core/delivery.h"
#include "engine/core/window.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

class ChunkLog {
 public:
  // How many chunks ahead of the cursor are remembered.
  static constexpr std::size_t kAheadChunks = 128;

  // Recovery: the checkpoint's numbers, then restore() for each row of `deliveries`, ascending.
  ChunkLog(Seq next_seq, Seq cursor) : next_seq_(next_seq), cursor_(cursor), ahead_end_(cursor) {}
  Window::iterator restore(Seq first, ChunkState chunk);

  // --- what is there ---

  Seq next_seq() const { return next_seq_; }
  Seq cursor() const { return cursor_; }
  // Every chunk before this is gone.
  Seq head() const;
  Window& window() { return window_; }
  const Window& window() const { return window_; }
  // Whether a message that is in no chunk of the window is there: nobody has touched it.
  bool is_untouched(Seq seq) const;
  // Of a message of a chunk that is in the store; nothing if it is done.
  std::optional<MessageStatus> peek(Seq seq) const;
  // Whether the message may be taken out of turn: it is neither leased nor on its way out. kStale: it is;
  // kGone: it is not there.
  ReceiptCheck check_free(Seq seq) const;

  // --- the open commit group ---

  // A chunk begins, which the next messages are appended to.
  void open_chunk(bool dead_letters, Timestamp sent_at, bool replayed);
  // The chunk that was opened last in this group; null if there is none.
  const ChunkSpan* last_open() const { return open_.empty() ? nullptr : &open_.back(); }
  // Appends one message, as next_seq(), to the chunk that was opened last; there must be one. `group` may be
  // null. Gives the chunk if it is in the window already; there its group is still to be noted.
  Window::iterator append(std::uint32_t bytes, const GroupKey* group);
  // The chunks of the open group, for close_chunk() to take: they reach the store now.
  std::vector<ChunkSpan> take_open();
  // Gives the chunk if it is in the window.
  Window::iterator close_chunk(ChunkSpan&& span);

  // --- the cursor ---

  // The chunk that the cursor is in or enters now; it is in the window from here on.
  Window::iterator enter_next();
  // When what enter_next() and the cursor come to next was sent: the first message of its chunk, to be exact.
  // Moves the cursor on to it through chunks of the window. Nothing if the store must be asked.
  std::optional<Timestamp> next_sent_at();
  void move_cursor(Seq to) { cursor_ = to; }
  // A chunk past the cursor enters the window, since a message of it is taken out of turn.
  Window::iterator detach(const ChunkSpan& span);

  // --- chunks that leave ---

  // The chunk is finished. Whether it lay past the cursor.
  bool erase(Window::iterator chunk);
  // A chunk past the cursor leaves as a whole, if it is not in the window; else false, and nothing changed.
  bool erase_untouched(const ChunkSpan& span);
  // A chunk past the cursor that is finished leaves nothing here, as if nobody had touched it; and who reads
  // the store without the lock may still see it. While `on`, those that are finished are remembered, and
  // is_untouched() says that they are gone.
  void remember_finished(bool on);
  void purge();

  // --- what the store must be asked for ---

  // The seq to read the next chunks from, where the store has them.
  std::optional<Seq> load_from() const;
  // Every chunk before this is known, or gone.
  Seq ahead_end() const { return ahead_end_; }
  // The store's chunks from ahead_end() on, complete up to `end`.
  void add_ahead(std::span<const ChunkSpan> chunks, Seq end);
  // The groups of all messages are forgotten: the store is asked again for what is ahead.
  void forget_groups();

 private:
  // A detached chunk that the cursor reaches before any chunk of ahead_.
  Window::const_iterator next_detached() const;
  // Moves the cursor on, through chunks of the window, to the next fresh message, and gives its chunk.
  Window::const_iterator pass_taken();
  // A chunk for the window with an entry for each message.
  ChunkState state_of(const ChunkSpan& span) const;
  // The chunk that begins there leaves ahead_, if it is there.
  void remove_ahead(Seq first);
  void note_finished(Seq first, std::uint32_t count);

  Seq next_seq_;
  Seq cursor_;
  Window window_;
  // Unlike std::deque it takes no memory while it is empty: there may be many idle queues.
  boost::container::deque<ChunkSpan> ahead_;
  Seq ahead_end_;                // every chunk before this is in ahead_, in window_ or gone
  std::vector<ChunkSpan> open_;  // chunks begun in the open group, the last one still grows
  // While they are remembered: chunks that were finished past the cursor, and how many messages each had.
  std::optional<std::map<Seq, std::uint32_t>> finished_;
};

}  // namespace holdfast
