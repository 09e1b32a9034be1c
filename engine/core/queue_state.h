// The state of one queue: which messages are ready, waiting, leased, done. Pure: no I/O, no clock, no lock of
// its own. Bodies are not here; they lie in chunks, which the state knows by their first seq.
//
// The log is split by the cursor, the first seq never handed out in order:
//   - before it: the window. Chunks that are not finished yet, each message with its state.
//   - from it on: everything is ready by definition and costs no memory, but for
//       ahead   the sizes of the next few chunks, so that receive need not ask the store, and
//       detached chunks of the window past the cursor, from which single messages were taken. Of those that
//               nobody has touched otherwise only done marks and sizes are kept: see chunk_state.cc.
//
// Where to read on: queue_state_deliver.cc, queue_state_groups.cc, queue_state_settle.cc,
// queue_state_expire.cc, queue_state_chunks.cc and queue_state_recover.cc, each a part of the machine;
// queue_state.cc has what they share.
#pragma once

#include <algorithm>
#include <boost/container/deque.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/core/chunk_state.h"
#include "engine/core/group_index.h"
#include "engine/core/retry.h"
#include "engine/core/schedule.h"
#include "holdfast/peek.h"
#include "holdfast/queue.h"

namespace holdfast {

// Where a chunk lies in the log.
struct ChunkSpan {
  Seq first{};
  std::uint32_t count = 0;
  bool dead_letters = false;
  Timestamp sent_at = {};             // as ChunkState::sent_at
  std::vector<GroupKey> groups = {};  // as ChunkState::groups
  bool replayed = false;              // as ChunkState::replayed
  // Of each message, as Entry::bytes. Not needed of a chunk of the window.
  std::vector<std::uint32_t> sizes = {};
};

// One message handed out.
struct Grant {
  Seq chunk{};
  std::uint32_t index = 0;       // within the chunk
  std::uint32_t deliveries = 0;  // charged, this one included
};

struct LeaseTerms {
  LeaseId id{};
  Timestamp until{};
  std::shared_ptr<const Consumer> consumer;
  bool prefetch = false;  // true: not charged before start()
  Duration length{};    // from now to `until`; of a prefetched delivery also how long begin() makes its lease
  bool nobody = false;  // who had it last stays so
};

// The bytes of bodies and attributes that one receive may hand out. Its first message is within them whatever
// its size, alone if it is larger; with the first one that is not, the receive is over.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t bytes = UINT64_MAX) : left_(bytes) {}

  // Whether one more message, of so many bytes, is within them.
  [[nodiscard]] bool take(std::uint32_t bytes) {
    if (any_ && bytes > left_) spent_ = true;
    if (spent_) return false;
    any_ = true;
    spent_ = bytes > left_;
    left_ -= std::min<std::uint64_t>(left_, bytes);
    return true;
  }
  bool spent() const { return spent_; }

 private:
  std::uint64_t left_;
  bool any_ = false;
  bool spent_ = false;
};

// Whether a receipt still names a delivery.
enum class ReceiptCheck : std::uint8_t {
  kValid,
  kStale,  // the message is there, but that delivery is over
  kGone,   // the message is not there any more
};

// A message that is to leave the queue.
struct MessageRef {
  Seq chunk{};
  std::uint32_t index = 0;
  Seq seq() const { return Seq{static_cast<std::uint64_t>(chunk) + index}; }
};

// A lease that ran out.
struct LeaseEnd {
  MessageRef place;
  Timestamp at{};
  std::uint32_t deliveries = 0;
};

// What can be seen of a message.
struct MessageStatus {
  MessageState state = MessageState::kReady;
  std::optional<Timestamp> due;
  std::uint32_t deliveries = 0;
};

// What failed with a message, for its failure record.
struct FailureHistory {
  std::uint32_t deliveries = 0;
  Timestamp first_failed_at{};
  Timestamp last_failed_at{};
  std::shared_ptr<const Consumer> consumer;
  std::shared_ptr<const AttemptNotes> attempts;  // null: none failed
  bool expired = false;
  bool overflowed = false;
  FailureSlots described = 0;  // which have a description on disk, and where
  Seq home{};
};

class QueueState {
 public:
  // How many chunks ahead of the cursor are remembered.
  static constexpr std::size_t kAheadChunks = 128;
  // How many more messages one receive makes known to the groups of a fair queue.
  static constexpr std::size_t kFairStep = 4096;

  QueueState() = default;
  // Recovery: the checkpoint's numbers, then restore_chunk for each row of `deliveries`, ascending.
  QueueState(Seq next_seq, Seq cursor, std::uint64_t fresh, std::uint64_t dead, QueueTotals totals,
             Schedule scheduled = {}, std::uint64_t bytes = 0);
  void restore_chunk(Seq first, ChunkState chunk);

  // --- transitions ---

  // Appends one message, to the newest open chunk or to a new one of that kind.
  // `group` counts on a queue with grouping only.
  Seq append(bool new_chunk, bool dead_letter, Timestamp sent_at = {}, GroupKey group = {},
             bool replayed = false, std::uint32_t bytes = 0);

  // Hands out up to `max` messages: what came back first, lowest seq first, then from the cursor. Fewer when
  // the budget is spent, when there are no more, or when the store must be asked for the next chunks first:
  // see load_from(). With grouping: what GroupIndex::next() gives; the cursor then passes messages of groups
  // that are not free, at most limits::kGroupLookahead of them.
  std::vector<Grant> receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);

  ReceiptCheck check(Seq seq, LeaseId lease) const;

  // The next six take a receipt that check() found valid.
  void extend(Seq seq, Timestamp until);
  // The delivery has a description of its failure, should it fail; `seq` is begun. Gives where it is to be
  // put, with this group. An uncharged release takes it away.
  FailurePlace describe(Seq seq);
  // A prefetched delivery is charged now. False if it was charged before. Either way its lease ends a full
  // length after `now`, unless it ends later anyway.
  bool start(Seq seq, Timestamp now);
  // Gives the message back, ready from `visible_at` on, or, if that is not set, when the retry policy says;
  // without charge at once. `to`: if it is not set, where the retry policy says, without charge to its place.
  // True if the caller is to move it: this was its last delivery, so it is exhausted instead; or it goes to
  // the tail.
  struct Return {
    bool charge = true;
    std::optional<Timestamp> visible_at = {};
    std::optional<ReturnTo> to = {};
  };
  [[nodiscard]] bool release(Seq seq, const Return& how, Timestamp now);
  // Whether it may go to the tail: not from an ordered queue, and not a dead letter.
  bool may_go_to_tail(Seq seq) const;
  // Of a message of the window.
  bool is_dead_letter(Seq seq) const;
  void ack(Seq seq, Timestamp now);
  // A failure that ends the message's life here: for its history, before it is moved.
  void note_failure(Seq seq, Timestamp at, AttemptEnd end);

  // Leases and delays that ran out by `now`, in at most `max_chunks` chunks. Messages that failed their last
  // delivery become exhausted. False if nothing had run out. `ended`, if it is not null, gets the leases.
  bool expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended = nullptr);
  // When there is something to expire or to spill.
  Timestamp next_due() const;

  // The message's time to live ran out: it becomes exhausted, at once or when its lease ends. `span` is as
  // for remove().
  void expire_message(Seq seq, const ChunkSpan& span);

  // Messages become exhausted, those that receive() would give, until at least so many are and they have at
  // least so many bytes; fewer as there.
  struct Dropped {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  Dropped drop_heads(std::uint64_t messages, std::uint64_t bytes);

  // Exhausted messages from `from` on, lowest seq first. They stay so until remove() or revive().
  std::vector<MessageRef> exhausted(Seq from, std::size_t max) const;
  bool is_exhausted(Seq seq) const { return exhausted_.contains(seq); }
  std::size_t leaving() const { return exhausted_.size(); }
  std::uint64_t leaving_bytes() const { return leaving_bytes_; }
  // An exhausted message that has nowhere to go is ready again.
  void revive(Seq seq);

  // Whether the message may be taken out of turn: it is neither leased nor on its way out. kStale: it is;
  // kGone: it is not there. `span` is the chunk that the message is in.
  ReceiptCheck check_free(Seq seq) const;
  // The message leaves the queue, by redrive, dead-lettering or discard. For a message past the cursor
  // `span` is needed, to detach its chunk.
  void remove(Seq seq, const ChunkSpan& span);

  // A chunk of dead letters leaves as a whole, if nobody has touched it and
  // the queue has no groups; else false, and nothing changed.
  // `span` is one that is committed, and was not removed before.
  bool remove_untouched(const ChunkSpan& span);

  // Everything is gone. Gives how many messages that were.
  std::uint64_t purge();

  // --- waiting outside the log ---

  Schedule& scheduled() { return scheduled_; }
  const Schedule& scheduled() const { return scheduled_; }

  // A wait of the window longer than this is spent in `scheduled`. A minute: retries after seconds, the
  // usual ones, are not worth writing the message twice more, and what fails within a minute fits in memory.
  static constexpr Duration kHorizon = std::chrono::seconds(60);
  // Messages that wait beyond the horizon, lowest seq first. They are to be removed to `scheduled`.
  std::vector<MessageRef> far_waiting(Timestamp now, std::size_t max);
  bool waits_far(Seq seq, Timestamp now) const;
  Timestamp due_of(Seq seq) const;
  // It stays in the window after all: moving it failed.
  void keep_far_waiting(Seq seq) { far_.erase(seq); }
  // Messages on their way to the tail, lowest seq first: those that are due are to be appended there, the
  // others to be removed to `scheduled`.
  std::vector<MessageRef> tailing(std::size_t max) const;
  bool is_tailing(Seq seq) const { return tailing_.contains(seq); }
  // It goes to its place after all: moving it failed.
  void keep_place(Seq seq);
  // The message goes to another place, and the descriptions of its failures stay, for reenter(): they do not
  // go with remove().
  void take_descriptions_along(Seq seq);
  // A message that was appended just now had been delivered before, at another place: it goes on with that
  // history, at the head as one that is ready, at the tail as a fresh one.
  void reenter(Seq seq, const FailureHistory& history, ReturnTo at);

  FailureHistory history(Seq seq) const;
  // Whether failures of messages of this chunk, which is not packed, have descriptions on disk.
  bool any_described(Seq first) const;
  // Of a message of a chunk that is in the store; nothing if it is done.
  std::optional<MessageStatus> peek(Seq seq) const;
  // The chunk of a message of the window.
  std::optional<ChunkSpan> span_of(Seq seq) const;

  // --- chunks that the store must be asked for ---

  // Set when receive stopped for want of them: the seq to read from, once nothing is unread().
  std::optional<Seq> load_from() const;
  // Chunks of the window of which more must be known before anything is handed out, lowest seq first: their
  // groups on a queue with grouping, their time on a timed one; after a restart, or when that was turned on.
  std::vector<Seq> unread(std::size_t max) const;
  bool is_unread(Seq first) const { return unread_.contains(first); }
  // Of a chunk that is unread(); ignored if it isn't any more.
  void set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups);
  // The store's chunks from load_from() on, complete up to `end`, read while what is finished is remembered.
  // Ignored when `from` is not what load_from() says now, since somebody else was faster.
  void add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end);

  // --- what is read from the store beside changes ---

  // A chunk past the cursor that is finished leaves nothing here, as if nobody had touched it; and who reads
  // the store without the lock may still see it. While `on`, those that are finished are remembered, and all
  // below and above says that they are gone. See Lanes::begin_reading().
  void remember_finished(bool on);
  // Whether the open group removes chunks past the cursor.
  bool removes_past_cursor() const { return changes_.past_cursor; }

  // --- chunks that stay for a few stragglers ---

  // Chunks that are at least half garbage: most of the messages that they store are done. As of the last
  // close_group().
  std::size_t sparse_count() const { return sparse_.size(); }
  // The oldest of them.
  std::vector<Seq> sparse_chunks(std::size_t max) const;
  // The state of a chunk of the window that is in the store; null if there is none.
  const ChunkState* stored_chunk(Seq first) const;
  // The chunk is stored anew, without those of its messages that are done by now.
  void compact_chunk(Seq first);

  // --- the commit group ---

  struct FinishedChunk {
    ChunkSpan span;
    ChunkState::RowPuts row_puts = ChunkState::RowPuts::kNone;
    bool stored =
        false;  // false: it was written and finished within one group, so it never reached the store
  };
  struct Changes {
    std::vector<Seq> dirty;               // chunks of the window whose row is to be written
    std::vector<FinishedChunk> finished;  // chunks to be removed
    std::vector<Seq> settled_dead;        // dead letters that are gone: their records are to be removed
    std::vector<ChunkSpan> settled_dead_chunks;  // the same, all of a chunk
    std::optional<Seq> purged_before;            // everything before this is to be removed
    bool past_cursor = false;                    // some of the finished ones lie past the cursor
    std::map<Seq, FailureSlots> undescribed;     // descriptions to be removed, by FailurePlace::home
  };
  // A message of a chunk of replayed ones was acknowledged.
  struct AckedReplay {
    Seq chunk{};
    std::uint32_t index = 0;
    Timestamp at{};
  };
  // Those since the last call.
  std::vector<AckedReplay> take_acked_replays() { return std::exchange(acked_replays_, {}); }
  // What changed since the last call. Closes the open chunks: they reach the store with these changes.
  Changes close_group();
  // A chunk that close_group() gave as dirty; its row is taken as put.
  const ChunkState& chunk_for_row(Seq first);
  // To be called after that, once the row is encoded: a chunk past the cursor takes less memory from here on.
  void pack(Seq first);

  // --- what is known ---

  QueueCounts counts() const;
  // Every chunk before this is gone.
  Seq head() const;
  // Where the next message to be handed out is, or where to look for it from.
  Seq first_ready() const;
  std::optional<Seq> first_leased() const;
  std::uint64_t fresh() const { return fresh_; }
  // Bodies and attributes of all messages in the log, and of those that may be handed out.
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t ready_bytes() const { return ready_bytes_; }
  // Of a message that is there.
  std::uint32_t bytes_of(Seq seq) const;
  Seq next_seq() const { return next_seq_; }
  Seq cursor() const { return cursor_; }
  const QueueTotals& totals() const { return totals_; }
  QueueTotals& totals() { return totals_; }

  // 0: messages are retried for ever.
  void set_max_deliveries(std::uint32_t max_deliveries) { max_deliveries_ = max_deliveries; }
  void set_grouping(Grouping grouping);
  // Whether head_sent_at() is asked.
  void set_timed(bool timed);
  // When what receive() gives next was sent: the first message of its chunk, to be exact. Nothing if nothing
  // is ready, or if the store must be asked first: see load_from(). The cursor passes what is no longer there
  // to be given, as in receive().
  std::optional<Timestamp> head_sent_at();
  Grouping grouping() const { return groups_ ? groups_->grouping() : Grouping::kNone; }
  // While it is set, deliveries that fail are not charged, and their messages wait this long.
  void set_brake(std::optional<Duration> delay) { brake_ = delay; }
  void set_retry(RetryPolicy policy) { retry_ = std::move(policy); }
  // 0: messages are retried for ever.
  void set_lifetime(Duration lifetime) { lifetime_ = lifetime; }

  // Whether the counts and the sets of places are what the window's entries say: always, between two calls.
  // Looks at each entry of the window.
  bool is_consistent() const;

 private:
  using Window = std::map<Seq, ChunkState>;

  // To change it: it is unpacked.
  Window::iterator chunk_of(Seq seq);
  // The message of a delivery that check() found valid.
  struct Leased {
    Window::iterator chunk;
    Entry& entry;
  };
  Leased leased(Seq seq);
  Window::const_iterator chunk_of(Seq seq) const;

  // The chunk that the cursor is in or enters next; end() if there is none in memory.
  Window::iterator chunk_at_cursor();
  // Moves the cursor on, through chunks of the window, to the next fresh message, and gives its chunk; end()
  // if the next one is in ahead_ or must be read.
  Window::const_iterator pass_taken();
  Window::iterator detach_chunk(const ChunkSpan& span);
  // With an entry for each message.
  ChunkState enter_window(const ChunkSpan& span) const;

  std::vector<Grant> receive_grouped(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  // Whatever their groups.
  std::vector<Grant> lease_oldest(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  // Moves the cursor on until the groups have that many deliverable messages, if there are.
  void look_ahead(std::size_t deliverable);
  void lease(Window::iterator chunk, std::uint32_t index, const LeaseTerms& terms,
             std::vector<Grant>& grants);
  void set_state(Window::iterator chunk, Entry& entry, EntryState state);
  // The delivery of a leased message failed at `at`: it becomes exhausted, waiting or ready.
  void end_lease_at(Window::iterator chunk, Entry& entry, Timestamp until);
  void note_failure(Seq seq, Entry& entry, Timestamp at, AttemptEnd end);
  bool is_last(const Entry& entry, Timestamp failed_at) const;
  // True if the caller of release() is to move it.
  bool fail_delivery(Window::iterator chunk, Entry& entry, Timestamp at, AttemptEnd end, const Return& how);
  void give_back(Window::iterator chunk, Entry& entry, Timestamp at, std::optional<Timestamp> visible_at,
                 ReturnTo to);
  static Seq home_of(Seq seq, const Entry& entry);
  void undescribe(Seq seq, Entry& entry, FailureSlots slots);
  // What was said of the delivery that goes on.
  void undescribe_next(Seq seq, Entry& entry);
  bool may_go_to_tail(Window::const_iterator chunk) const;
  static bool waits_beyond(const Entry& entry, Timestamp horizon);
  void note_wait(Window::iterator chunk, const Entry& entry, Timestamp now);
  Timestamp next_timer() const { return timers_.empty() ? Timestamp::max() : timers_.begin()->first; }
  void finish(Window::iterator chunk, Seq seq);
  void schedule(Window::iterator chunk, Timestamp due);
  void reschedule(Window::iterator chunk, Timestamp due);
  void touch(Window::iterator chunk);
  // Whether a message that is in no chunk of the window is there: nobody has touched it.
  bool is_untouched(Seq seq) const;
  // Null if it is not open.
  const ChunkSpan* open_span(Seq first) const;
  // A detached chunk that the cursor reaches before any chunk of ahead_.
  Window::const_iterator next_detached() const;
  // The chunk that begins there leaves ahead_, if it is there.
  void remove_ahead(Seq first);
  void drop_if_finished(Window::iterator chunk);
  void note_sparse(Seq first, const ChunkState& chunk);
  void note_finished(FinishedChunk finished);

  Seq next_seq_{1};
  Seq cursor_{1};
  Window window_;
  // Unlike std::deque it takes no memory while it is empty: there may be many idle queues.
  boost::container::deque<ChunkSpan> ahead_;
  Seq ahead_end_{1};                            // every chunk before this is in ahead_, in window_ or gone
  std::set<Seq> returned_;                      // chunks with ready entries
  std::set<std::pair<Timestamp, Seq>> timers_;  // (next_due, chunk)
  std::set<Seq> exhausted_;
  std::set<Seq> far_;      // what may wait beyond the horizon
  std::set<Seq> tailing_;  // waiting ones with Entry::to_tail
  std::set<Seq> sparse_;
  Schedule scheduled_;
  std::optional<GroupIndex> groups_;  // on a queue with grouping
  bool timed_ = false;
  std::set<Seq> unread_;  // chunks of the window whose groups are not in groups_, or that lack their time
  AttemptSharing attempts_;
  // While they are remembered: chunks that were finished past the cursor, and how many messages each had.
  std::optional<std::map<Seq, std::uint32_t>> finished_;

  std::uint64_t fresh_ = 0;
  std::uint64_t returned_count_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t leased_ = 0;
  std::uint64_t dead_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t ready_bytes_ = 0;
  std::uint64_t leaving_bytes_ = 0;  // of exhausted messages
  QueueTotals totals_;
  std::uint32_t max_deliveries_ = 0;
  std::optional<Duration> brake_;
  RetryPolicy retry_;
  Duration lifetime_{0};

  // The open group.
  std::vector<ChunkSpan> open_;  // chunks begun in this group, the last one still grows
  Changes changes_;
  std::vector<AckedReplay> acked_replays_;  // a purge leaves them: what was acknowledged before stays so
};

}  // namespace holdfast
