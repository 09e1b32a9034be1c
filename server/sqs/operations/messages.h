// Converts messages between Amazon SQS and the engine.
//
// What SQS knows of a message and the engine has no place for is kept in attributes whose names begin with
// "sqs.":
//   sqs.types             the types of the message's attributes, as an object of JSON; those that are plain
//                         String are left out
//   sqs.deduplication-id  as it was sent, to be given back
//   sqs.trace-header      the system attribute AWSTraceHeader
//   sqs.sender-id         the access key id of who sent it, where clients have to sign
// A value that is longer than one of the engine's attributes is divided over several attributes of the same
// name.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "server/http/json/json_values.h"
#include "server/options/sqs_options.h"
#include "server/sqs/format/fault.h"
#include "server/sqs/format/sqs_digests.h"
#include "server/sqs/format/sqs_limits.h"

namespace holdfast::server::sqs {

// SendRequirements say what a queue requires of sends to it.
struct SendRequirements {
  std::string queue = {};
  bool is_fifo = false;
  bool is_fifo_by_name_alone = false;  // it takes nothing that only FIFO queues have
  bool becomes_fair = false;           // once it gets a message with a group
  bool is_by_content = false;          // a message without an id is known by its body
  bool is_by_group = false;            // ids count within a group
  std::string sender = {};             // see SqsCall
  std::size_t most_bytes = limits::kMessageBytes;
};

struct Outgoing {
  Message message = {};
  Json answer = {};  // the answer without the ids
  std::size_t bytes = 0;
};

// Reads the input of SendMessage, or an entry of a batch.
Outcome<Outgoing> read_message(const Json& input, const SendRequirements& requirements);

inline constexpr std::string_view kSequenceNumber = "SequenceNumber";

// Wanted has the attributes that a receive asks for.
struct Wanted {
  std::set<std::string, std::less<>> system = {};
  std::set<std::string, std::less<>> names = {};  // a name may end in ".*"
  bool has_numbers = false;                       // the queue is FIFO, so its messages have a SequenceNumber

  bool wants_system(std::string_view name) const;
  bool wants(std::string_view name) const;
};

Json write_message(const Delivery& delivery, const Wanted& wanted, std::string_view queue,
                   const SqsOptions& options);

// Returns a number that ascends with the sends. It is the same in the answers to a send and to a receive.
std::string sequence_number(const MessageId& id);

}  // namespace holdfast::server::sqs
