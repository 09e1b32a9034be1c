// Queues: their options, what changes them, and what is known about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/limits.h"
#include "holdfast/message.h"
#include "holdfast/policy.h"
#include "holdfast/time.h"

namespace holdfast {

// What a queue does with the groups of its messages.
enum class Grouping : std::uint8_t {
  // Nothing: messages are handed out oldest first.
  kNone = 0,
  // Each group is handed out in the order of its sends, to one holder at a time: a receive may take several
  // messages of a group that follow each other, and then nobody gets any of that group until all of them are
  // settled, released or their leases have run out. Groups do not block each other, as long
  // as no more than limits::kGroupLookahead ready messages lie between them. Order is kept over release,
  // retry
  // and restart: a message that waits to be tried again blocks its group. One that is sent with a delay joins
  // its group when it is due; one that is dead-lettered frees its group; redriven, it joins at the group's
  // end. Among several free groups the one with the oldest message goes first. A consumer that releases a
  // message keeps the order only if it also
  // releases, and does not acknowledge, the later ones of that group that it holds.
  kOrdered = 1,
  // Groups take turns, so that one with many messages does not keep the others waiting: each with a ready
  // message among the first limits::kGroupLookahead is served once before any is served again. Within a group
  // oldest first. Nothing is blocked.
  kFair = 2,
};

// By what a queue knows a message that is sent again.
enum class Deduplication : std::uint8_t {
  kNone = 0,
  // By its deduplication_id. Messages without one are always new.
  kById = 1,
  // By its deduplication_id, or by its body if it has none. Attributes and group do not count, since those
  // of a retry often differ (a trace id, say). Source: Amazon SQS, "ContentBasedDeduplication".
  kByContent = 2,
};

// Rejected messages of a category go to a dead letter queue of their own.
struct DeadLetterRoute {
  std::string category = {};
  std::string queue = {};  // created with default options if it does not exist

  friend bool operator==(const DeadLetterRoute&, const DeadLetterRoute&) = default;
};

// Which queues may use a queue as their dead letter queue.
struct DeadLetterSources {
  enum class Allow : std::uint8_t { kAll = 1, kNone = 2, kListed = 3 };
  Allow allow = Allow::kAll;
  std::vector<std::string> queues = {};  // the listed ones, by name; at most limits::kDeadLetterSources

  friend bool operator==(const DeadLetterSources&, const DeadLetterSources&) = default;
};

enum class RetryKind : std::uint8_t {
  kImmediate = 0,
  kFixed = 1,
  kExponential = 2,
  kStages = 3,
};

// Where a message goes that comes back.
enum class ReturnTo : std::uint8_t {
  kHead = 0,  // to its place: before all that was never handed out
  // Behind all messages that are in the queue (of its priority, or group) when its wait is over, in the same
  // atomic write. Receipts, deliveries and failures count on. Ordered queues have no tail, since a group's
  // order holds; and dead letters keep their place, so that they stay listed.
  kTail = 1,
};

// How long a message waits after a failed delivery: one whose lease ran out, or that was released with charge
// and without a delay of its own. What a kind does not use must be at its default.
struct RetryPolicy {
  RetryKind kind = RetryKind::kImmediate;
  // Fixed: each wait. Exponential: the wait after the first failure, doubled with each further one. More than
  // 0, at most limits::kDelayMax.
  Duration base{0};
  Duration cap{0};  // exponential: the longest wait; base..limits::kDelayMax
  // Each wait is shortened by a share of itself between 0 and this, so that what failed together is not tried
  // together again. Message and delivery decide the share: a repetition gets the same. 0..1.
  double jitter = 0;
  // Stages: the waits after the first, the second, ... failure; the last one repeats. 1..limits::kRetryStages
  // of 0..limits::kDelayMax each.
  std::vector<Duration> stages = {};
  // Where it goes then. kTail is refused on an ordered queue; dead letters go to their place all the same.
  ReturnTo to = ReturnTo::kHead;

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// What is stopped on a queue.
struct Pause {
  bool deliveries = false;  // receives find nothing
  bool sends = false;       // sends are refused with kQueuePaused

  friend bool operator==(const Pause&, const Pause&) = default;
};

// Names and values that people put on a queue.
using Tags = std::map<std::string, std::string>;

// What becomes of a message whose time to live ran out.
enum class ExpiryPolicy : std::uint8_t {
  kDeadLetter = 0,  // it goes to the dead letter queue, cause expired
  kDrop = 1,        // it is gone
};

// What a send to a full queue does.
enum class OverflowPolicy : std::uint8_t {
  kRejectSend = 0,  // it is refused with kQueueFull
  // It succeeds, and the messages next in turn go to the dead letter queue, cause overflow.
  kDeadLetterHead = 1,
  kDropHead = 2,  // it succeeds, and they are gone
};

// How much a queue remembers of where its messages have been: see Broker::message_history. What is too much
// or too old goes in parts of a sixteenth, so at times only 15/16 of this is there.
struct JournalOptions {
  // Steps of all messages together: 0: no journal; limits::kJournalEntriesMin..kJournalEntriesMax.
  std::uint64_t max_entries = 0;
  // How long a step is remembered, at least and, but for a sixteenth, at most. 0: as long as there is room;
  // at most limits::kKeepMax.
  Duration keep{0};

  friend bool operator==(const JournalOptions&, const JournalOptions&) = default;
};

// What an option is in QueueOptions: its value.
template <class T>
using OptionValue = T;

// What an option is in QueueChanges: its new value, or nothing, and then it stays as it is.
template <class T>
using OptionChange = std::optional<T>;

// What an option is before anybody sets it: its default in QueueOptions, nothing in QueueChanges.
template <template <class> class Field, class T>
constexpr Field<T> initially(T value) {
  if constexpr (std::is_same_v<Field<T>, T>) {
    return value;
  } else {
    return {};
  }
}

// The options of a queue, each declared once for both of its forms: QueueOptions, which a queue has, and
// QueueChanges, which alter them. How an option is stored, sent, set and shown is a row of the table in
// engine/base/options/queue_option_table.h.
template <template <class> class Field>
struct QueueOptionFields {
  // After this many charged deliveries without an ack the message is dead-lettered (cause
  // max_deliveries), in the write that ends its last delivery. 1..1000. Without a dead letter queue
  // the message is retried for ever. 1 condemns a message for one blip and 100 or more hammers a
  // poison message; declaring that with a dead letter queue gives a warning.
  Field<std::uint32_t> max_deliveries = initially<Field>(std::uint32_t{5});

  // Where dead letters go; empty: nowhere. A name that does not exist yet is created as a queue with
  // default options. A cycle is refused.
  Field<std::string> dead_letter_queue = {};

  // Of a dead letter queue: where its dead letters are put aside for people, by park and by gates of redrive;
  // empty: nowhere. Created like a dead letter queue. A parking queue is an end: nothing moves out of it by
  // itself.
  Field<std::string> parking_queue = {};

  // Of a dead letter queue: how it brings back its dead letters by itself. kInvalidArgument on a queue that
  // others park in.
  Field<AutoRedrive> auto_redrive = {};

  // Of a dead letter queue: when it calls for people.
  Field<AlertRules> alerts = {};

  // Of a queue with a dead letter queue: what slows it when its messages die in large numbers.
  Field<FloodBrake> brake = {};

  // How long a delivery is leased when receive does not say. 1 ms..12 h.
  Field<Duration> lease = initially<Field, Duration>(std::chrono::seconds(30));

  // Of send, ack and reject calls that do not say.
  Field<Durability> durability = initially<Field>(Durability::kFsync);

  // What reject does on a queue without a dead letter queue: false refuses it
  // (kNoDeadLetterQueue), true discards the message for good.
  Field<bool> discard_rejected = initially<Field>(false);

  // How long a message waits before it may first be handed out, when its send does not say. Of sends only,
  // not of dead-lettering or redrive. 0..limits::kDelayMax. A change is for later sends.
  Field<Duration> delay = {};

  // Which messages may be handed out next: see Grouping. A change counts from the next receive on; grouping
  // is refused (kInvalidArgument) while messages of higher levels of priority are there. To find free groups
  // a queue looks at the first limits::kGroupLookahead ready messages; groups that begin behind them wait
  // until those before are handed out.
  Field<Grouping> grouping = initially<Field>(Grouping::kNone);

  // A send without a group is refused (kInvalidArgument). For a queue whose order or turns matter: messages
  // without a group are a group of their own, so a sender that forgets it would have all of its messages wait
  // for each other. Of sends only: dead letters and redriven messages always come in.
  Field<bool> require_group = initially<Field>(false);

  // A message that was sent to this queue less than the window ago is not added again: the send succeeds
  // with the first one's id and Sent::duplicate. It does not matter what became of the first one since.
  // Dead-lettering and redrive do not count as sends. What is known is in the same atomic write as the
  // message, so it survives a crash. The default window is that of Amazon SQS. A change of the window counts
  // from the next send on; a longer one does not bring back what is forgotten already.
  Field<Deduplication> deduplication = initially<Field>(Deduplication::kNone);
  Field<Duration> deduplication_window = initially<Field, Duration>(std::chrono::minutes(5));  // 1 s..7 days
  // Where rejected messages of these categories go instead of to dead_letter_queue, which takes all others.
  // Each category once, none empty; at most limits::kDeadLetterRoutes. A cycle over any of the routes is
  // refused.
  Field<std::vector<DeadLetterRoute>> dead_letter_routes = {};

  // Who may dead-letter to this queue. Declaring another queue that is not allowed to is refused
  // (kPermissionDenied); so is a change here that a queue in use would break (kQueueInUse).
  Field<DeadLetterSources> dead_letter_sources = {};

  // Of a dead letter queue: the attributes by whose values its dead letters are found at once; at most
  // limits::kSearchedAttributes, each once. They are kept with each dead letter that comes here from then on,
  // in the write that brings it. What came before is found by them too, but is read one by one for it.
  Field<std::vector<std::string>> searched_attributes = {};

  // Of a dead letter queue: how long dead letters stay once they are replayed or abandoned, counted from
  // then. What is new, investigating or fixed stays until somebody resolves it. 0..limits::kKeepMax.
  Field<Duration> keep_replayed = initially<Field, Duration>(std::chrono::days(90));
  Field<Duration> keep_abandoned = initially<Field, Duration>(std::chrono::days(365));
  // And what nobody has resolved, counted from the latest of its death, its import and the last change of its
  // status: then it is archived and goes, like the others. 0: it stays until somebody resolves it.
  Field<Duration> keep_unresolved = {};

  // Of a queue that others dead-letter to or park in: takes sends all the same, each of which is a dead
  // letter at once (cause sent). Without it they are refused with kQueueInUse, since a message among dead
  // letters that has no failure record is seen by nobody who looks at those. A change is for later sends.
  Field<bool> direct_sends = initially<Field>(false);

  // How many levels of priority there are, 1..16; 1: none. The message of the highest level goes first;
  // within a level, oldest first. Not together with grouping: going first contradicts both order and turns.
  // It may be changed at any time: after a change to fewer levels the messages of the others are still handed
  // out. A dead letter queue hands out dead letters without regard to it; redriven into a queue with fewer
  // levels, a message gets the highest there is.
  Field<std::uint32_t> priorities = initially<Field>(std::uint32_t{1});
  // So that low priorities are not starved: a message goes before those of k levels higher that were sent
  // more than k times this later. 0: strict, a higher level always goes first. Up to
  // limits::kPriorityAgingMax.
  Field<Duration> priority_aging = {};

  // When a message whose delivery failed is handed out again. A change is for later failures.
  Field<RetryPolicy> retry = {};

  // The retry budget: a delivery that fails longer than this after the message's first failure dead-letters
  // it (cause lifetime), whatever the count. Redrive begins a new budget. 0: none; at most limits::kDelayMax.
  // Without a dead letter queue the message is retried for ever. A change is for later failures.
  Field<Duration> lifetime = {};

  // How long a message may be handed out, from its send or the end of its delay on. 0: for ever; at most
  // limits::kDelayMax. The end is fixed at the send: a change is for later sends. A message is never handed
  // out after it; one that is leased then may still be acknowledged, and expires when it is given back. A
  // redriven message gets the queue's time to live anew; dead letters have none.
  Field<Duration> time_to_live = {};

  // Dead-lettering needs a dead letter queue: without one a time_to_live here or on a message is refused.
  // Where the dead letter queue was taken away later, messages that expire are dropped.
  Field<ExpiryPolicy> on_expiry = initially<Field>(ExpiryPolicy::kDeadLetter);

  // How many messages the queue may have: ready, waiting and leased ones. 0: any number. Of sends only: dead
  // letters and redriven messages always come in. Where heads are dropped, those of the lowest priority go
  // first, and neither leased nor waiting ones do: a send is refused if dropping all ready ones would not be
  // enough. Of an ordered queue the oldest goes, also if it waits for its group. Messages that are there when
  // this is set, or that a crash left over, are dropped by the next send.
  Field<std::uint64_t> max_length = {};
  // The same in bytes of their bodies and of the names and values of their attributes; QueueInfo::bytes says
  // how many there are. 0: any number. A message larger than this is refused with kLimitExceeded.
  Field<std::uint64_t> max_bytes = {};
  // kDeadLetterHead needs a dead letter queue.
  Field<OverflowPolicy> on_overflow = initially<Field>(OverflowPolicy::kRejectSend);

  // The largest body that a send may have: 1..limits::kBodyBytesMax; a larger one is refused with
  // kLimitExceeded. Of sends only: dead letters and redriven messages always come in. A change is for later
  // sends.
  Field<std::uint32_t> max_body_bytes = initially<Field>(std::uint32_t{limits::kBodyBytes});

  // How many messages may be leased at a time: receives give no more. 0: any number. A change
  // leaves the leases that are held.
  Field<std::uint64_t> max_leased = {};

  // Off by default, and then free. Every step of a message (sent, delivered to whom, released, acknowledged,
  // ...) is one more row, in the atomic write of the step. A journal survives a purge. Turning it off forgets
  // it.
  Field<JournalOptions> journal = {};

  // Names and values of your own. Bounds: limits.h.
  Field<Tags> tags = {};

  friend bool operator==(const QueueOptionFields&, const QueueOptionFields&) = default;
};

using QueueOptions = QueueOptionFields<OptionValue>;

// The options to change; what is not set stays. An empty name of a queue removes it, and a list or tags
// replace all that were there.
using QueueChanges = QueueOptionFields<OptionChange>;

// Every message of a queue is in exactly one of ready, waiting and leased.
struct QueueCounts {
  std::uint64_t ready = 0;    // may be handed out now, or wait for their group
  std::uint64_t waiting = 0;  // sent or released with a delay that is not over
  std::uint64_t leased = 0;   // handed out, neither settled nor run out
  std::uint64_t dead = 0;     // how many of all these are dead letters: they have a failure record

  friend bool operator==(const QueueCounts&, const QueueCounts&) = default;
};

// Since the queue was created; survive restarts.
struct QueueTotals {
  std::uint64_t sent = 0;       // by send, not by dead-lettering or redrive
  std::uint64_t delivered = 0;  // hand-outs, charged or not
  std::uint64_t acked = 0;
  std::uint64_t dead_lettered = 0;  // moved from here to the dead letter queue
  std::uint64_t discarded = 0;      // rejected on a queue that discards
  std::uint64_t redriven = 0;       // moved from here, a dead letter queue, back to a source
  std::uint64_t parked = 0;         // moved from here, a dead letter queue, to be put aside
  std::uint64_t expired = 0;        // their time to live ran out: dropped, or dead-lettered too
  std::uint64_t overflowed = 0;     // they made room in a full queue: dropped, or dead-lettered too

  friend bool operator==(const QueueTotals&, const QueueTotals&) = default;
};

struct QueueInfo {
  std::string name;
  QueueId id{};
  Timestamp created_at{};
  QueueOptions options;
  QueueCounts counts;
  std::uint64_t bytes = 0;  // of the bodies and attributes of all its messages
  QueueTotals totals;
  std::vector<Alert> alerts = {};  // that hold now
  Timestamp braked_until = {};     // the flood brake is on until then; the epoch: it is off
  Pause paused = {};
};

// The reply to create_queue and alter_queue.
struct QueueDeclared {
  bool created = false;               // false: it existed with the same options
  std::vector<std::string> warnings;  // options that work but are known traps, one sentence each
};

}  // namespace holdfast
