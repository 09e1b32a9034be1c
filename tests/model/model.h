// Describes what a broker must do, as simply as possible: each queue is a map from place to message. It is
// for one thread, and can be copied. Each method is told what the engine was asked and what it answered. It
// returns what is wrong with the answer, or an empty text.
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

// The queue in which a message died first since it was sent or redriven. A redrive brings it back there.
struct Origin {
  QueueId queue{};
  std::string name;
  Seq seq{};

  friend bool operator==(const Origin&, const Origin&) = default;
};

// The place where the record of a redriven message is history.
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

enum class MessagePlace : std::uint8_t { kReady, kWaiting, kLeased };

struct ModelMessage {
  std::shared_ptr<const Content> content;
  MessagePlace place = MessagePlace::kReady;
  Timestamp until{};  // the end of the lease or of the delay
  // How long the lease is from the start of the delivery on. 0: it started when it was handed out.
  Duration renewal{};
  bool prefetched = false;      // it is leased, and that delivery is not charged
  std::optional<Seq> seq = {};  // known once a delivery or a listing has told it
  LeaseId lease{};              // of the last delivery
  Consumer consumer = {};       // of the last delivery
  std::uint32_t deliveries = 0;
  std::uint32_t replays = 0;
  std::optional<Timestamp> first_failed_at = {};  // includes earlier lives
  Timestamp last_failed_at{};
  std::chrono::milliseconds held{0};  // the length of the lease so far
  std::uint32_t extended = 0;         // how often the lease was extended
  std::optional<Failure> said = {};   // why the consumer lets the lease run out
  Failure failure = {};               // the failure of the last delivery that failed
  std::optional<FailureRecord> record = {};
  std::optional<Origin> origin = {};          // only of a dead letter
  Triage triage = {};                         // only of a dead letter
  std::optional<MessageId> letter = {};       // only of a dead letter, once a listing has told it
  std::optional<RecordPlace> record_at = {};  // only of a redriven message
  // The message died when its lease ran out, and was not listed since. The engine decides when exactly it
  // died, and its place among others that died in the same step.
  bool unlisted = false;
  // The message was delivered before, from its present place in the log or before it left the log. It goes
  // before the others.
  bool returned = false;
  Timestamp expires_at = Timestamp::max();
  bool expired = false;  // it expired while it was leased
  // The message waits, or waited, beyond the horizon. Whether it left the log for that depends on when the
  // engine ran what was due, and so does its place among messages that were given back.
  bool loose = false;
  std::uint64_t ticket = 0;  // its place among sends that wait outside the log; 0 in the log
  // When the message came to the end of the log by itself, because its last lease ran out or its wait was
  // over. If both happen to messages at once, the engine decides which comes first.
  std::optional<Timestamp> fell_due = {};

  void end_lease_at(Timestamp time);

  friend bool operator==(const ModelMessage&, const ModelMessage&) = default;
};

struct ModelQueue {
  QueueId id{};
  QueueOptions options;
  QueueTotals totals = {};
  std::map<std::uint64_t, ModelMessage> messages = {};  // in the order of arrival
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
  // refused() checks a send that was refused since the queue is full. made_room_for_one() is called after a
  // send that was accepted: messages that are too many leave one by one.
  Verdict refused(const std::string& name, const Error& error) const;
  void made_room_for_one(const std::string& name);
  // Tells that a receive at that time first looks for expired messages.
  void looked_for_expired(const std::string& name, Timestamp now) { expire(queues_.at(name), now); }
  // `lease` is the length of the lease.
  Verdict delivered(const std::string& name, const Delivery& delivery, const ReceiveOptions& options,
                    Duration lease);
  // Tells that a receive that asked for more messages got no more.
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
  // These heed only the category and the history of the filter.
  Verdict triaged(const std::string& name, const DeadLetterSelection& selection,
                  const DeadLetterChanges& changes, Timestamp now, const DeadLettersChanged& answer);
  Verdict discarded(const std::string& name, const DeadLetterSelection& selection, Timestamp now,
                    const DeadLettersChanged& answer);

  // --- what can be seen ---
  Verdict described(const QueueInfo& info) const;
  Verdict listed(const std::string& name, const std::vector<DeadLetter>& items, bool with_bodies);
  Verdict listed_history(const std::string& name, const std::vector<DeadLetter>& items) const;

  std::size_t message_count() const;
  // Returns whether no answer can ever tell the two models apart.
  bool equivalent(const Model& other) const;

 private:
  struct Found {
    std::string name;
    ModelQueue* queue = nullptr;
    std::uint64_t place = 0;
    ModelMessage* message = nullptr;
  };
  // Returns the message that the receipt still holds.
  std::optional<Found> held(const Receipt& receipt);
  ModelQueue* by_id(QueueId id);
  // Notes the outcome of a redriven message.
  void conclude(const ModelMessage& message, ReplayOutcome outcome, Timestamp now);
  // Keeps the record of a dead letter that a consumer has acknowledged.
  static void keep_acked(ModelQueue& queue, const ModelMessage& message, Timestamp now);
  // Takes over when exactly the message died, whose lease ran out.
  static void learn_death(ModelMessage& message, Timestamp died_at);
  // Returns the record of the last death of a message that dies again; null if there is none.
  const FailureRecord* death_before(const ModelMessage& message);
  // Takes over what people made of the record that a message left in this queue.
  void adopt_history(ModelQueue& queue, const ModelMessage& old, ModelMessage& dead) const;
  // Returns whether there is room for another message if all ready messages are dropped for it.
  static bool has_room(const ModelQueue& queue);
  // Returns whose turn it is. Messages that were given back go first, by their places in the log, and then
  // the others, by arrival. Of the loose messages, and of those that fell due at once, only `picked` counts.
  static std::map<std::uint64_t, ModelMessage>::iterator next(ModelQueue& queue,
                                                              const MessageId& picked = {});
  // Must be called only for a queue that drops what expires.
  static void expire(ModelQueue& queue, Timestamp now);
  // Drops the message if it was given back after it expired in a consumer's hands.
  static void drop_if_expired(ModelQueue& queue, std::uint64_t place);
  void enter(ModelQueue& queue, Timestamp now);
  void append(ModelQueue& queue, ModelMessage message) {
    queue.messages.emplace(++arrivals_, std::move(message));
  }

  static void give_back(ModelMessage& message, Timestamp at, Duration wait);
  // Puts a message that was given back behind all others. It goes there when its wait is over.
  void return_to_tail(const Found& found);
  // Tells that the delivery failed at `at`. Returns true if the message died of it; the message is gone from
  // its queue then.
  bool fail_delivery(const Found& found, Timestamp at, Timestamp now, const Failure& failure);
  void die(const Found& found, DeathCause cause, const Failure& rejection, Timestamp now);

  Queues queues_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace holdfast::testing
