// SentMessages are what a simulation has sent: what must be there, which names queues know, what has room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class SentMessages {
 public:
  // kNamedByBody precedes the body of a message that the queue knows by its body.
  static constexpr const char* kNamedByBody = "body ";

  SentMessages(Run& run, Recovery& recovery) : run_(run), recovery_(recovery) {}

  void note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                 const Result<Sent>& answer);
  void note_there(const Subject& queue, const Message& message, Timestamp visible_at,
                  const std::optional<MessageId>& id);
  void note_named(const Subject& queue, const Message& message, const std::string& name,
                  const Result<Sent>& answer);
  // Notes what is synced. The messages of one send share its durability, whichever of them were accepted.
  void note_synced(const std::vector<Result<Sent>>& answers);
  void check_bounds(const Subject& queue, const std::vector<Message>& messages,
                    const std::vector<Result<Sent>>& answers);
  // Returns the bodies that the queue surely recognises if they are sent again.
  std::vector<std::string> known_bodies(const Subject& queue) const;

 private:
  // A Name is a queue with a name by which it recognises a message.
  using Name = std::pair<std::string, std::string>;

  // Returns the name by which the queue recognises the message if it is sent again.
  static std::optional<std::string> name_of(const Subject& queue, const Message& message);
  // Returns whether the message may leave without anybody's doing.
  static bool may_leave(const QueueOptions& options, const Message& message);
  static bool may_be_dropped(const QueueOptions& options, const Message& message);
  Account new_account(const Subject& queue, const Message& message, Timestamp visible_at) const;

  Run& run_;
  Recovery& recovery_;
  // Sends whose repetition is recognised and that are on disk: when they were made, and the message's id.
  std::map<Name, std::pair<Timestamp, MessageId>> known_ids_;
  // Sends that may be there: when they were last tried.
  std::map<Name, Timestamp> tried_ids_;
};

}  // namespace holdfast::simulation
