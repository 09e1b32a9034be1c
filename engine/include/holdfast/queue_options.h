// The options of a queue: QueueOptions, which a queue has, and QueueChanges, which change them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "holdfast/limits.h"
#include "holdfast/message.h"
#include "holdfast/policy.h"
#include "holdfast/queue_option_types.h"
#include "holdfast/time.h"

namespace holdfast {

// The type of an option in QueueOptions: that of its value.
template <class T>
using OptionValue = T;

// The type of an option in QueueChanges: its new value, or nothing if the option stays as it is.
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

// The options of a queue. Each is declared once for both forms: QueueOptions and QueueChanges. How an option
// is stored, sent, set and shown is a row of the table in engine/base/options/queue_option_table.h.
//
// Several options limit or change sends only. Dead letters and redriven messages come into a queue whatever
// such an option says.
template <template <class> class Field>
struct QueueOptionFields {
  // The number of charged deliveries after which a message that nobody acknowledged is dead-lettered (cause
  // kMaxDeliveries), in the write that ends its last delivery: 1..1000. Without a dead letter queue the
  // message is retried for ever. With 1 a single hiccup condemns a message, and with 100 or more a message
  // that always fails keeps its consumers busy; declaring either together with a dead letter queue gives a
  // warning. A change counts from the next failure on.
  Field<std::uint32_t> max_deliveries = initially<Field>(std::uint32_t{5});

  // The dead letter queue. Empty: the queue has none. It must exist, unless the call has missing queues
  // created (MissingQueues). A cycle of dead letter queues is refused (kDeadLetterCycle).
  Field<std::string> dead_letter_queue = {};

  // For a dead letter queue: the parking queue, where dead letters are set aside for people by a park, by a
  // condition of a redrive (RedriveOptions::park_refused) or by auto_redrive. Empty: the queue has none. It
  // must exist, as a dead letter queue must. Nothing moves out of a parking queue by itself.
  Field<std::string> parking_queue = {};

  // For a dead letter queue: how it redrives its dead letters by itself. Refused (kInvalidArgument) on a
  // queue that others park in.
  Field<AutoRedrive> auto_redrive = {};

  // For a dead letter queue: when it calls for people.
  Field<AlertRules> alerts = {};

  // For a queue with a dead letter queue: what slows it when its messages die in large numbers.
  Field<FloodBrake> brake = {};

  // How long a delivery is leased when the receive does not say: limits::kLeaseMin..kLeaseMax.
  Field<Duration> lease = initially<Field, Duration>(std::chrono::seconds(30));

  // The durability of sends, acks and rejects that do not say theirs.
  Field<Durability> durability = initially<Field>(Durability::kFsync);

  // What a reject does when the queue has no dead letter queue. False: the reject is refused
  // (kNoDeadLetterQueue). True: the message is deleted for good.
  Field<bool> discard_rejected = initially<Field>(false);

  // How long a message waits before it may first be handed out, when its send does not say:
  // 0..limits::kDelayMax. It holds for sends only, not for dead-lettering or redrive. A change is for later
  // sends.
  Field<Duration> delay = {};

  // What the queue does with groups: see Grouping. A change counts from the next receive on; grouping is
  // refused (kInvalidArgument) while the queue has messages of higher levels of priority. To find free groups
  // the queue looks at the first limits::kGroupLookahead ready messages; groups that begin behind those wait
  // until those are handed out.
  Field<Grouping> grouping = initially<Field>(Grouping::kNone);

  // True: a send without a group is refused (kInvalidArgument). This is for queues whose order or turns
  // matter: all messages without a group form one group, so those of a sender that forgets the group would
  // wait for each other. It holds for sends only.
  Field<bool> require_group = initially<Field>(false);

  // A message that was sent to this queue before, less than the window ago, is not added again: the send
  // succeeds with the id of the first message and Sent::duplicate, whatever has happened to the first one
  // since. Dead-lettering and redrive do not count as sends. What the queue knows is written together with
  // the message, so it survives a crash.
  Field<Deduplication> deduplication = initially<Field>(Deduplication::kNone);
  // The window of deduplication: limits::kDeduplicationWindowMin..kDeduplicationWindowMax. The default is
  // that of Amazon SQS. A change counts from the next send on; a longer window does not bring back what is
  // forgotten.
  Field<Duration> deduplication_window = initially<Field, Duration>(std::chrono::minutes(5));

  // The dead letter queues for messages whose last failure has certain categories; dead_letter_queue takes
  // all others. Each category once, none empty; at most limits::kDeadLetterRoutes. Each queue must exist, as
  // dead_letter_queue must. A cycle over any of the routes is refused.
  Field<std::vector<DeadLetterRoute>> dead_letter_routes = {};

  // Which queues may dead-letter to this one. Declaring another queue to do so is refused (kPermissionDenied)
  // unless it is allowed here. A change that would exclude a queue that does so already is refused
  // (kQueueInUse).
  Field<DeadLetterSources> dead_letter_sources = {};

  // For a dead letter queue: the attributes by whose values its dead letters are found at once. At most
  // limits::kSearchedAttributes, each once. Their values are kept with each dead letter that comes from then
  // on, in the write that brings it. Dead letters that came before are found by them too, but are read one by
  // one.
  Field<std::vector<std::string>> searched_attributes = {};

  // For a dead letter queue: how long dead letters stay after they were replayed or abandoned:
  // 0..limits::kKeepMax. After that they are archived and deleted (EngineOptions::archive_directory; an
  // engine without an archive keeps them).
  Field<Duration> keep_replayed = initially<Field, Duration>(std::chrono::days(90));
  Field<Duration> keep_abandoned = initially<Field, Duration>(std::chrono::days(365));
  // For a dead letter queue: how long new, investigating and fixed dead letters stay, counted from the latest
  // of their death, their import and the last change of their status: up to limits::kKeepMax. After that they
  // are archived and deleted. 0: they stay until somebody resolves them.
  Field<Duration> keep_unresolved = {};

  // For a queue that others dead-letter to or park in. True: the queue takes sends, and each message that is
  // sent is a dead letter at once (cause kSent). False: such sends are refused (kQueueInUse), since nobody
  // who looks at dead letters would see a message that has no failure record. A change is for later sends.
  Field<bool> direct_sends = initially<Field>(false);

  // The number of levels of priority: 1..16; 1 means that there are no priorities. Messages of the highest
  // level go first; within a level the oldest goes first. More than 1 excludes grouping, since going first
  // contradicts order and turns. A dead letter queue hands out dead letters without regard to their priority.
  // The number may be changed at any time: after it is lowered, the messages of the other levels are still
  // handed out. A message that is redriven to a queue with fewer levels gets the highest level there.
  Field<std::uint32_t> priorities = initially<Field>(std::uint32_t{1});
  // Keeps low priorities from starving: a message goes before messages k levels higher that were sent more
  // than k times this later. 0: strict, a higher level always goes first. At most limits::kPriorityAgingMax.
  Field<Duration> priority_aging = {};

  // How long a message waits after a failed delivery. A change is for later failures.
  Field<RetryPolicy> retry = {};

  // The retry budget: a delivery that fails later than this after the first failure of the message is its
  // last, and the message is dead-lettered (cause kRetryBudget) whatever its count of deliveries. A redrive
  // begins a new budget. 0: there is no budget; at most limits::kDelayMax. Without a dead letter queue the
  // message is retried for ever. A change is for later failures.
  Field<Duration> retry_budget = {};

  // How long a message may be handed out, counted from its send or the end of its delay. 0: for ever; at most
  // limits::kDelayMax. The end is fixed at the send, so a change is for later sends. After the end the
  // message is never handed out. A message that is leased at the end may still be acknowledged, and expires
  // when it is given back. A redriven message gets the whole time to live of its queue again; dead letters
  // have none.
  Field<Duration> time_to_live = {};

  // What happens at the end of the time to live. kDeadLetter needs a dead letter queue: without one, a time
  // to live of the queue or of a message is refused. If the dead letter queue is removed later, messages that
  // expire are deleted.
  Field<ExpiryPolicy> on_expiry = initially<Field>(ExpiryPolicy::kDeadLetter);

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
  Field<OverflowPolicy> on_overflow = initially<Field>(OverflowPolicy::kRejectSend);

  // The largest body that may be sent: 1..limits::kBodyBytesMax. A larger one is refused with kLimitExceeded.
  // It holds for sends only. A change is for later sends.
  Field<std::uint32_t> max_body_bytes = initially<Field>(std::uint32_t{limits::kBodyBytes});

  // The most messages that may be leased at a time: a receive hands out no more. 0: any number. A change
  // leaves the leases that consumers hold.
  Field<std::uint64_t> max_leased = {};

  // What the queue remembers of the steps of its messages. It is off by default, and then costs nothing. With
  // a journal every step of a message (sent, delivered, released, acknowledged and so on) is one more row in
  // the atomic write of that step. A journal survives a purge. Turning it off deletes it.
  Field<JournalOptions> journal = {};

  // Names and values of your own. At most limits::kTags; names of 1..limits::kTagNameBytes, values of
  // 0..limits::kTagValueBytes.
  Field<Tags> tags = {};

  friend bool operator==(const QueueOptionFields&, const QueueOptionFields&) = default;
};

using QueueOptions = QueueOptionFields<OptionValue>;

// The options to change; an option that is not set stays as it is. An empty name removes the dead letter
// queue or the parking queue. A list or tags replace all that were there.
using QueueChanges = QueueOptionFields<OptionChange>;

}  // namespace holdfast
