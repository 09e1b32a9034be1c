// A ModelQueue is a queue of the model, and the messages in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/broker.h"

namespace holdfast::testing {

struct Content {
  MessageId id;
  Timestamp sent_at;
  std::string body;
  Attributes attributes;
};

// Origin is where a message first died since it was sent or redriven. A redrive brings it back there.
struct Origin {
  QueueId queue{};
  std::string name;
  Seq seq{};

  friend bool operator==(const Origin&, const Origin&) = default;
};

// RecordPlace is the place where the record of a redriven message is history.
struct RecordPlace {
  QueueId queue{};
  Seq seq{};

  friend bool operator==(const RecordPlace&, const RecordPlace&) = default;
};

// ModelRecord is the record of a message that is not in its dead letter queue any more.
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
  // The lease lasts this long from the start of the delivery on. 0: it started when it was handed out.
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
  // At this time the message came to the end of the log by itself, because its last lease ran out or its wait
  // was over. If both happen to messages at once, the engine decides which comes first.
  std::optional<Timestamp> fell_due = {};

  void end_lease_at(Timestamp time);
  void give_back(Timestamp at, Duration wait);
  // Takes over when exactly the message died, whose lease ran out.
  void learn_death(Timestamp time);

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
  // Returns whether there is room for another message if all ready messages are dropped for it.
  bool has_room() const;
  // Returns whose turn it is. Messages that were given back go first, by their places in the log, and then
  // the others, by arrival. Of the loose messages, and of those that fell due at once, only `picked` counts.
  std::map<std::uint64_t, ModelMessage>::iterator next(const MessageId& picked = {});
  // Must be called only for a queue that drops what expires.
  void expire(Timestamp now);
  // Drops the message if it was given back after it expired in a consumer's hands.
  void drop_if_expired(std::uint64_t place);
};

}  // namespace holdfast::testing
