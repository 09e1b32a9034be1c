// The types of those options of a queue that are more than a number or a text. queue_options.h says which
// option has which type.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

// What a queue does with the groups of its messages.
enum class Grouping : std::uint8_t {
  // Groups do not matter: messages are handed out oldest first.
  kNone = 0,

  // The messages of a group are handed out in the order of their sends, to one consumer at a time. A receive
  // may take several messages of a group that follow each other; after that the group is blocked until each
  // of them is settled or released, or its lease has run out. Groups do not block each other, as long as no
  // more than limits::kGroupLookahead ready messages lie between them. Among several free groups the one with
  // the oldest message goes first.
  //
  // The order outlives releases, retries and restarts: a message that waits for its retry blocks its group. A
  // message that is sent with a delay joins its group when the delay is over. A message that is dead-lettered
  // leaves its group, which goes on without it; a redrive puts it at the group's end. A consumer that
  // releases a message keeps the order only if it also releases, and does not acknowledge, the later messages
  // of that group that it holds.
  kOrdered = 1,

  // Groups take turns, so that a group with many messages does not keep the others waiting: each group that
  // has a message among the first limits::kGroupLookahead ready ones is served once before any is served
  // again. Within a group the oldest message goes first. Nothing is blocked.
  kFair = 2,
};

// By what a queue recognizes a message that is sent again.
enum class Deduplication : std::uint8_t {
  kNone = 0,  // by nothing: each send adds a message
  // By Message::deduplication_id. Messages without one are always new.
  kById = 1,
  // By Message::deduplication_id, or by the body if the message has none. Attributes and group do not count,
  // since those of a retry often differ: a trace id, for example. Source: Amazon SQS,
  // "ContentBasedDeduplication".
  kByContent = 2,
};

// A dead letter queue for messages whose last failure has a certain category, whatever they die of.
struct DeadLetterRoute {
  std::string category = {};
  // It must exist, as QueueOptions::dead_letters.queue must, unless the call has missing queues created
  // (MissingQueues).
  std::string queue = {};

  friend bool operator==(const DeadLetterRoute&, const DeadLetterRoute&) = default;
};

// Which queues may use a queue as their dead letter queue.
struct DeadLetterSources {
  enum class Allow : std::uint8_t { kAll = 1, kNone = 2, kListed = 3 };
  Allow allow = Allow::kAll;
  std::vector<std::string> queues =
      {};  // for kListed: the queues, by name; at most limits::kDeadLetterSources

  friend bool operator==(const DeadLetterSources&, const DeadLetterSources&) = default;
};

enum class RetryKind : std::uint8_t {
  kImmediate = 0,    // no wait
  kFixed = 1,        // the same wait after each failure
  kExponential = 2,  // a wait that doubles with each failure
  kStages = 3,       // a list of waits
};

// Where a message goes when it is given back.
enum class ReturnTo : std::uint8_t {
  // To its old place, before all messages that were never handed out.
  kHead = 0,
  // Behind all messages that are in the queue (of its priority, or of its group) when its wait is over. The
  // move is one atomic write; deliveries and failures keep counting, and receipts of before settle nothing.
  // Ordered queues refuse kTail, since the order of a group holds. Dead letters keep their place, so that
  // they stay listed.
  kTail = 1,
};

// How long a message waits after a failed delivery, that is, after its lease ran out, or after it was
// released with charge and without a delay of its own. A field that `kind` does not use must have its
// default.
struct RetryPolicy {
  RetryKind kind = RetryKind::kImmediate;
  // For kFixed each wait, for kExponential the wait after the first failure. More than 0, at most
  // limits::kDelayMax.
  Duration base{0};
  Duration cap{0};  // for kExponential: the longest wait; base..limits::kDelayMax
  // The largest share, 0..1, by which a wait is shortened, so that messages that failed together are not
  // retried together. Message and delivery determine the share, so repeating the same wait gives the same
  // share.
  double jitter = 0;
  // For kStages: the waits after the first, the second and each further failure; the last one repeats.
  // 1..limits::kRetryStages waits of 0..limits::kDelayMax each.
  std::vector<Duration> stages = {};
  // Where the message goes for its retry. An ordered queue refuses kTail; dead letters keep their place
  // whatever this says.
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

// What happens to a message when its time to live runs out.
enum class ExpiryPolicy : std::uint8_t {
  kDeadLetter = 0,  // it goes to the dead letter queue, with the cause kExpired
  kDrop = 1,        // it is deleted
};

// What a send to a full queue does.
enum class OverflowPolicy : std::uint8_t {
  // The send is refused with kQueueFull.
  kRejectSend = 0,
  // The send succeeds. The messages that would be handed out next make room: they go to the dead letter
  // queue, with the cause kOverflow.
  kDeadLetterHead = 1,
  // The send succeeds. The messages that would be handed out next make room: they are deleted.
  kDropHead = 2,
};

// How much a queue remembers of where its messages have been; Broker::message_history tells it.
struct JournalOptions {
  // The most steps to remember, of all messages together: limits::kJournalEntriesMin..kJournalEntriesMax. A
  // journal that is full forgets its oldest sixteenth at once. 0: the queue keeps no journal.
  std::uint64_t max_entries = 0;
  // How long a step is remembered, if there is room: at least this long, and at most a sixteenth longer. At
  // most limits::kKeepMax. 0: as long as there is room. It must be 0 if max_entries is 0 (kInvalidArgument).
  Duration keep{0};

  friend bool operator==(const JournalOptions&, const JournalOptions&) = default;
};

}  // namespace holdfast
