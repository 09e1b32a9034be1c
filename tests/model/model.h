// What a broker must do, as simply as it can be said: each queue is a map from place to message. Single
// threaded, copyable. Each method is told what was asked of the engine and what it answered, and gives what
// is wrong with the answer; an empty text if nothing is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast::testing {

using Verdict = std::string;

struct Content {
  MessageId id;
  Timestamp sent_at;
  std::string body;
  Attributes attributes;
};

// The queue that a message died in first, since it was sent or redriven: where redrive brings it.
struct Origin {
  QueueId queue{};
  std::string name;
  Seq seq{};

  friend bool operator==(const Origin&, const Origin&) = default;
};

// Where the record of a redriven message is history.
struct RecordPlace {
  QueueId queue{};
  Seq seq{};

  friend bool operator==(const RecordPlace&, const RecordPlace&) = default;
};

// The record of a message that is not in its dead letter queue any more.
struct ModelRecord {
  std::optional<MessageId> letter;
  FailureRecord record;
  Triage triage;
  std::optional<Replay> replay = {};

  friend bool operator==(const ModelRecord&, const ModelRecord&) = default;
};

enum class Place : std::uint8_t { kReady, kWaiting, kLeased };

struct ModelMessage {
  std::shared_ptr<const Content> content;
  Place place = Place::kReady;
  Timestamp until{};            // end of the lease or the delay
  Duration renewal{};           // how long the lease is from its begin on; 0: it was begun when handed out
  bool prefetched = false;      // it is leased, and that delivery is not charged
  std::optional<Seq> seq = {};  // once a delivery or a listing told it
  LeaseId lease{};              // of the last delivery
  Consumer consumer = {};       // of the last delivery
  std::uint32_t deliveries = 0;
  std::uint32_t replays = 0;
  std::optional<Timestamp> first_failed_at = {};  // earlier lives included
  Timestamp last_failed_at{};
  std::chrono::milliseconds held{0};  // the lease's length so far
  std::uint32_t extended = 0;         // how often the lease was
  std::optional<Failure> said = {};   // why the consumer lets the lease run out
  Failure failure = {};               // of the last failed delivery
  std::optional<FailureRecord> record = {};
  std::optional<Origin> origin = {};          // of a dead letter
  Triage triage = {};                         // of a dead letter, as is the next
  std::optional<MessageId> letter = {};       // once a listing told it
  std::optional<RecordPlace> record_at = {};  // of a redriven one
  // It died of a lease that ran out and was not listed since: its place among others of that step, and
  // when exactly it died, are the engine's to say.
  bool unlisted = false;
  // Delivered before, from where it lies in the log now or before it left the log: goes before the others.
  bool returned = false;
  Timestamp expires_at = Timestamp::max();
  bool expired = false;  // while it was leased
  // It waits, or waited, beyond the horizon: whether it left the log for that, and so its place among those
  // that were given back, depends on when the engine ran what was due.
  bool loose = false;
  std::uint64_t ticket = 0;  // its place among sends that wait outside the log; 0 inside
  // When it came to the end of the log by itself: its last lease ran out, or its wait was over.
  // Which of these two the engine does first, of what is due at once, is its to say.
  std::optional<Timestamp> fell_due = {};

  void end_lease_at(Timestamp time);

  friend bool operator==(const ModelMessage&, const ModelMessage&) = default;
};

struct ModelQueue {
  QueueId id{};
  QueueOptions options;
  QueueTotals totals = {};
  std::map<std::uint64_t, ModelMessage> messages = {};  // by order of arrival
  std::map<Seq, ModelRecord> history = {};
  std::uint64_t tickets = 0;

  QueueCounts counts() const;
  std::uint64_t bytes() const;  // of bodies and attributes
};

class Model {
 public:
  using Queues = std::map<std::string, ModelQueue>;

  // --- queues ---
  void created(const std::string& name, QueueId id, const QueueOptions& options);
  void altered(const std::string& name, const QueueOptions& options);
  Verdict deleted(const std::string& name, const Result<void>& answer);
  Verdict purged(const std::string& name, std::uint64_t answer);

  // --- messages ---
  Verdict sent(const std::string& name, std::shared_ptr<const Content> content, Timestamp visible_at,
               Timestamp expires_at);
  // A send was refused, since the queue is full; after one that was not, messages that are too many leave
  // one by one.
  Verdict refused(const std::string& name, const Error& error) const;
  void made_room_for_one(const std::string& name);
  // A receive at that time looks for what expired first.
  void looked_for_expired(const std::string& name, Timestamp now) { expire(queues_.at(name), now); }
  // `lease`: how long it is.
  Verdict delivered(const std::string& name, const Delivery& delivery, const ReceiveOptions& options,
                    Duration lease);
  // A receive that asked for more was answered no more.
  Verdict had_no_more(const std::string& name) const;
  Verdict acked(const Receipt& receipt, Timestamp now, const Result<void>& answer);
  Verdict started(const Receipt& receipt, Timestamp now, const Result<void>& answer);
  Verdict extended(const Receipt& receipt, Timestamp until, const ExtendOptions& options,
                   const Result<void>& answer);
  Verdict released(const Receipt& receipt, const ReleaseOptions& options, Timestamp now,
                   const Result<void>& answer);
  Verdict rejected(const Receipt& receipt, const Rejection& rejection, Timestamp now,
                   const Result<void>& answer);
  void time_passed(Timestamp now);

  // --- dead letters ---
  Verdict redriven(const std::string& name, const RedriveOptions& options, Timestamp now,
                   const Redriven& answer);
  Verdict parked(const std::string& name, const RedriveOptions& options, Timestamp now,
                 const Redriven& answer);
  // Of the filter, category and history count.
  Verdict triaged(const std::string& name, const DeadLetterSelection& selection,
                  const DeadLetterChanges& changes, Timestamp now, const DeadLettersChanged& answer);
  Verdict discarded(const std::string& name, const DeadLetterSelection& selection, Timestamp now,
                    const DeadLettersChanged& answer);

  // --- what can be seen ---
  Verdict described(const QueueInfo& info) const;
  Verdict listed(const std::string& name, const std::vector<DeadLetter>& items, bool with_bodies);
  Verdict listed_history(const std::string& name, const std::vector<DeadLetter>& items) const;

  std::size_t message_count() const;
  // No answer can ever tell the two apart.
  bool equivalent(const Model& other) const;

 private:
  struct Found {
    std::string name;
    ModelQueue* queue = nullptr;
    std::uint64_t place = 0;
    ModelMessage* message = nullptr;
  };
  // The message that the receipt still holds.
  std::optional<Found> held(const Receipt& receipt);
  ModelQueue* by_id(QueueId id);
  // What became of a redriven message.
  void conclude(const ModelMessage& message, ReplayOutcome outcome, Timestamp now);
  // A consumer is done with a dead letter.
  static void keep_acked(ModelQueue& queue, const ModelMessage& message, Timestamp now);
  // When exactly it died, of a lease that ran out.
  static void learn_death(ModelMessage& message, Timestamp died_at);
  // What is recorded of the last death of a message that dies again; null if there is nothing.
  const FailureRecord* death_before(const ModelMessage& message);
  // Takes over what people made of the record that a message left in this queue.
  void inherit(ModelQueue& queue, const ModelMessage& old, ModelMessage& dead) const;
  // For a message more, if all that is ready is dropped for it.
  static bool has_room(const ModelQueue& queue);
  // Whose turn it is: what was given back goes first, by its place in the log; then the others, by arrival.
  // Of the loose ones only `picked`; of those that fell due at once, too.
  static std::map<std::uint64_t, ModelMessage>::iterator next(ModelQueue& queue,
                                                              const MessageId& picked = {});
  // Only in a queue that drops what expires.
  static void expire(ModelQueue& queue, Timestamp now);
  // Given back after it expired under its holder.
  static void drop_if_expired(ModelQueue& queue, std::uint64_t place);
  void enter(ModelQueue& queue, Timestamp now);
  void append(ModelQueue& queue, ModelMessage message) {
    queue.messages.emplace(++arrivals_, std::move(message));
  }

  static void give_back(ModelMessage& message, Timestamp at, Duration wait);
  // One that was given back goes behind all others once its wait is over.
  void return_to_tail(const Found& found);
  // The delivery failed at `at`. True if the message died of it; then it is gone from its queue.
  bool fail_delivery(const Found& found, Timestamp at, Timestamp now, const Failure& failure);
  void die(const Found& found, DeathCause cause, const Failure& rejection, Timestamp now);

  Queues queues_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace holdfast::testing
