// The options of a queue, grouped by what they concern: QueueOptions, which a queue has, and QueueChanges,
// which change them.
//
//   QueueOptions options{.retry = {.max_deliveries = 3}, .dead_letters = {.queue = "orders-dlq"}};
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/detail/option_field.h"
#include "holdfast/limits.h"
#include "holdfast/message.h"
#include "holdfast/policy.h"
#include "holdfast/queue_option_types.h"
#include "holdfast/time.h"

namespace holdfast {

// How often, how long and when a message that failed is delivered again.
template <template <class> class Field>
struct RetryOptionFields {
  // The number of charged deliveries after which a message that nobody acknowledged is dead-lettered (cause
  // kMaxDeliveries), in the write that ends its last delivery: 1..1000. Without a dead letter queue the
  // message is retried for ever. With 1 a single hiccup condemns a message, and with 100 or more a message
  // that always fails keeps its consumers busy; declaring either together with a dead letter queue gives a
  // warning. A change counts from the next failure on.
  Field<std::uint32_t> max_deliveries = detail::initially<Field>(std::uint32_t{5});

  // How long a message waits after a failed delivery. A change is for later failures.
  Field<RetryPolicy> policy = {};

  // The retry budget: a delivery that fails later than this after the first failure of the message is its
  // last, and the message is dead-lettered (cause kRetryBudget) whatever its count of deliveries. A redrive
  // begins a new budget. 0: there is no budget; at most limits::kDelayMax. Without a dead letter queue the
  // message is retried for ever. A change is for later failures.
  Field<Duration> budget = {};

  friend bool operator==(const RetryOptionFields&, const RetryOptionFields&) = default;
};

// Where messages go that die, and what a dead letter queue does with them.
template <template <class> class Field>
struct DeadLetterOptionFields {
  // The dead letter queue. Empty: the queue has none. It must exist, unless the call has missing queues
  // created (MissingQueues). A cycle of dead letter queues is refused (kDeadLetterCycle).
  Field<std::string> queue = {};

  // The dead letter queues for messages whose last failure has certain categories; `queue` takes all others.
  // Each category once, none empty; at most limits::kDeadLetterRoutes. Each queue must exist, as `queue`
  // must. A cycle over any of the routes is refused.
  Field<std::vector<DeadLetterRoute>> routes = {};

  // What a reject does when the queue has no dead letter queue. False: the reject is refused
  // (kNoDeadLetterQueue). True: the message is deleted for good.
  Field<bool> discard_rejected = detail::initially<Field>(false);

  // Which queues may dead-letter to this one. Declaring another queue to do so is refused (kPermissionDenied)
  // unless it is allowed here. A change that would exclude a queue that does so already is refused
  // (kQueueInUse).
  Field<DeadLetterSources> sources = {};

  // For a queue that others dead-letter to or park in. True: the queue takes sends, and each message that is
  // sent is a dead letter at once (cause kSent). False: such sends are refused (kQueueInUse), since nobody
  // who looks at dead letters would see a message that has no failure record. A change is for later sends.
  Field<bool> direct_sends = detail::initially<Field>(false);

  // For a dead letter queue: the parking queue, where dead letters are set aside for people by a park, by a
  // condition of a redrive (RedriveOptions::park_refused) or by auto_redrive. Empty: the queue has none. It
  // must exist, as a dead letter queue must. Nothing moves out of a parking queue by itself.
  Field<std::string> parking_queue = {};

  // For a dead letter queue: the attributes by whose values its dead letters are found at once. At most
  // limits::kSearchedAttributes, each once. Their values are kept with each dead letter that comes from then
  // on, in the write that brings it. Dead letters that came before are found by them too, but are read one by
  // one.
  Field<std::vector<std::string>> searched_attributes = {};

  // For a dead letter queue: how it redrives its dead letters by itself. Refused (kInvalidArgument) on a
  // queue that others park in.
  Field<AutoRedrive> auto_redrive = {};

  friend bool operator==(const DeadLetterOptionFields&, const DeadLetterOptionFields&) = default;
};

// For how long messages may be handed out.
template <template <class> class Field>
struct ExpiryOptionFields {
  // How long a message may be handed out, counted from its send or the end of its delay. 0: for ever; at most
  // limits::kDelayMax. The end is fixed at the send, so a change is for later sends. After the end the
  // message is never handed out. A message that is leased at the end may still be acknowledged, and expires
  // when it is given back. A redriven message gets the whole time to live of its queue again; dead letters
  // have none.
  Field<Duration> time_to_live = {};

  // What happens at the end of the time to live. kDeadLetter needs a dead letter queue: without one, a time
  // to live of the queue or of a message is refused. If the dead letter queue is removed later, messages that
  // expire are deleted.
  Field<ExpiryPolicy> policy = detail::initially<Field>(ExpiryPolicy::kDeadLetter);

  friend bool operator==(const ExpiryOptionFields&, const ExpiryOptionFields&) = default;
};

// How much a queue takes and hands out.
template <template <class> class Field>
struct LimitOptionFields {
  // The most messages that the queue may have, counting ready, waiting and leased ones. 0: any number. It
  // holds for sends only; on_overflow says what a send to a full queue does. Where messages make room, ready
  // ones of the lowest priority go first, and leased and waiting ones stay; in an ordered queue the oldest
  // goes, also if it waits for its group. A send is refused if removing all ready messages would not make
  // enough room. Messages that are too many when this option is set, or after a crash, are removed by the
  // next send.
  Field<std::uint64_t> max_length = {};
  // The most bytes that the messages of the queue may have, in their bodies and in the names and values of
  // their attributes; QueueInfo::bytes tells how many they have. 0: any number. A single message that is
  // larger is refused with kLimitExceeded. Messages make room as max_length describes.
  Field<std::uint64_t> max_bytes = {};
  // What a send to a full queue does. kDeadLetterHead needs a dead letter queue.
  Field<OverflowPolicy> on_overflow = detail::initially<Field>(OverflowPolicy::kRejectSend);

  // The largest body that may be sent: 1..limits::kBodyBytesMax. A larger one is refused with kLimitExceeded.
  // It holds for sends only. A change is for later sends.
  Field<std::uint32_t> max_body_bytes = detail::initially<Field>(std::uint32_t{limits::kBodyBytes});

  // The most messages that may be leased at a time: a receive hands out no more. 0: any number. A change
  // leaves the leases that consumers hold.
  Field<std::uint64_t> max_leased = {};

  friend bool operator==(const LimitOptionFields&, const LimitOptionFields&) = default;
};

// What the queue does with groups of messages.
template <template <class> class Field>
struct GroupingOptionFields {
  // What the queue does with groups: see Grouping. A change counts from the next receive on; grouping is
  // refused (kInvalidArgument) while the queue has messages of higher levels of priority. To find free groups
  // the queue looks at the first limits::kGroupLookahead ready messages; groups that begin behind those wait
  // until those are handed out.
  Field<Grouping> mode = detail::initially<Field>(Grouping::kNone);

  // True: a send without a group is refused (kInvalidArgument). This is for queues whose order or turns
  // matter: all messages without a group form one group, so those of a sender that forgets the group would
  // wait for each other. It holds for sends only.
  Field<bool> require_group = detail::initially<Field>(false);

  friend bool operator==(const GroupingOptionFields&, const GroupingOptionFields&) = default;
};

// What becomes of a message that was sent before.
template <template <class> class Field>
struct DeduplicationOptionFields {
  // A message that was sent to this queue before, less than the window ago, is not added again: the send
  // succeeds with the id of the first message and Sent::duplicate, whatever has happened to the first one
  // since. Dead-lettering and redrive do not count as sends. What the queue knows is written together with
  // the message, so it survives a crash.
  Field<Deduplication> mode = detail::initially<Field>(Deduplication::kNone);

  // limits::kDeduplicationWindowMin..kDeduplicationWindowMax. The default is that of Amazon SQS. A change
  // counts from the next send on; a longer window does not bring back what is forgotten.
  Field<Duration> window = detail::initially<Field, Duration>(std::chrono::minutes(5));

  friend bool operator==(const DeduplicationOptionFields&, const DeduplicationOptionFields&) = default;
};

// Which messages go before others.
template <template <class> class Field>
struct PriorityOptionFields {
  // The number of levels of priority: 1..16; 1 means that there are no priorities. Messages of the highest
  // level go first; within a level the oldest goes first. More than 1 excludes grouping, since going first
  // contradicts order and turns. A dead letter queue hands out dead letters without regard to their priority.
  // The number may be changed at any time: after it is lowered, the messages of the other levels are still
  // handed out. A message that is redriven to a queue with fewer levels gets the highest level there.
  Field<std::uint32_t> levels = detail::initially<Field>(std::uint32_t{1});

  // Keeps low priorities from starving: a message goes before messages k levels higher that were sent more
  // than k times this later. 0: strict, a higher level always goes first. At most limits::kPriorityAgingMax.
  Field<Duration> aging = {};

  friend bool operator==(const PriorityOptionFields&, const PriorityOptionFields&) = default;
};

// How long dead letters stay in a dead letter queue: 0..limits::kKeepMax. After that they are archived and
// deleted (EngineOptions::archive_directory; an engine without an archive keeps them).
template <template <class> class Field>
struct RetentionOptionFields {
  // How long those stay that were replayed or acknowledged, and that were abandoned. 0: they leave at once.
  Field<Duration> replayed = detail::initially<Field, Duration>(std::chrono::days(90));
  Field<Duration> abandoned = detail::initially<Field, Duration>(std::chrono::days(365));

  // Of new, investigating and fixed dead letters, counted from the latest of their death, their import and
  // the last change of their status. 0: they stay until somebody resolves them.
  Field<Duration> unresolved = {};

  friend bool operator==(const RetentionOptionFields&, const RetentionOptionFields&) = default;
};

// The options of a queue. Each is declared once for both forms: QueueOptions and QueueChanges. How an option
// is stored, sent, set and shown is a row of the table in engine/base/options/queue_option_table.h, which
// also gives it the name that the command, the protocol and errors have for it.
//
// Several options limit or change sends only. Dead letters and redriven messages come into a queue whatever
// such an option says.
template <template <class> class Field>
struct QueueOptionFields {
  // How long a delivery is leased when the receive does not say: limits::kLeaseMin..kLeaseMax.
  Field<Duration> lease = detail::initially<Field, Duration>(std::chrono::seconds(30));

  // How long a message waits before it may first be handed out, when its send does not say:
  // 0..limits::kDelayMax. It holds for sends only, not for dead-lettering or redrive. A change is for later
  // sends.
  Field<Duration> delay = {};

  // The durability of sends, acks and rejects that do not say theirs.
  Field<Durability> durability = detail::initially<Field>(Durability::kFsync);

  RetryOptionFields<Field> retry = {};
  DeadLetterOptionFields<Field> dead_letters = {};
  ExpiryOptionFields<Field> expiry = {};
  LimitOptionFields<Field> limits = {};
  GroupingOptionFields<Field> grouping = {};
  DeduplicationOptionFields<Field> deduplication = {};
  PriorityOptionFields<Field> priority = {};
  RetentionOptionFields<Field> retention = {};

  // For a dead letter queue: when it calls for people.
  Field<AlertRules> alerts = {};

  // For a queue with a dead letter queue: what slows it when its messages die in large numbers.
  Field<FloodBrake> brake = {};

  // What the queue remembers of the steps of its messages. It is off by default, and then costs nothing. With
  // a journal every step of a message (sent, delivered, released, acknowledged and so on) is one more row in
  // the atomic write of that step. A journal survives a purge. Turning it off deletes it.
  Field<JournalOptions> journal = {};

  // Names and values of your own. At most limits::kTags; names of 1..limits::kTagNameBytes, values of
  // 0..limits::kTagValueBytes.
  Field<Tags> tags = {};

  friend bool operator==(const QueueOptionFields&, const QueueOptionFields&) = default;
};

using QueueOptions = QueueOptionFields<detail::OptionValue>;

// The options to change; an option that is not set stays as it is. An empty name removes the dead letter
// queue or the parking queue. A list or tags replace all that were there.
using QueueChanges = QueueOptionFields<detail::OptionChange>;

}  // namespace holdfast
