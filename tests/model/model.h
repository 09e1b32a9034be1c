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
#include "tests/model/model_queue.h"

namespace holdfast::testing {

using Verdict = std::string;

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
  void looked_for_expired(const std::string& name, Timestamp now) { queues_.at(name).expire(now); }
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
  // Returns the record of the last death of a message that dies again; null if there is none.
  const FailureRecord* death_before(const ModelMessage& message);
  // Takes over what people made of the record that a message left in this queue.
  void adopt_history(ModelQueue& queue, const ModelMessage& old, ModelMessage& dead) const;
  void enter(ModelQueue& queue, Timestamp now);
  void append(ModelQueue& queue, ModelMessage message) {
    queue.messages.emplace(++arrivals_, std::move(message));
  }

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
