// Converts the attributes of queues between Amazon SQS and the engine's options.
//
// What SQS knows of a queue and the engine has no option for is kept in tags whose names begin with
// "aws:sqs:", which SQS lets nobody use: "aws:sqs:ReceiveMessageWaitTimeSeconds". A value that is longer than
// a tag's is divided over several tags: "aws:sqs:Policy", "aws:sqs:Policy.1", ….
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/queue.h"
#include "server/http/json/json_values.h"
#include "server/options/sqs_options.h"
#include "server/sqs/format/fault.h"

namespace holdfast::server::sqs {

// Returns the options of a new queue of that name, before its attributes are applied.
QueueOptions new_queue(std::string_view name);

// Changes the options as `attributes`, an object of texts, says. kInvalidAttributeName,
// kInvalidAttributeValue, kInvalidParameterValue. It does not check whether the queues that they name exist.
Outcome<void> set_attributes(std::string_view queue, const Json& attributes, const SqsOptions& sqs,
                             QueueOptions& options);

// Returns the queue that the attributes name as the target of dead letters, if they do.
// kInvalidParameterValue.
Outcome<std::optional<std::string>> redrive_target(std::string_view queue, const Json& attributes,
                                                   const SqsOptions& sqs);

// Returns the named attributes; the name "All" means all of them. kInvalidAttributeName.
Outcome<Json> get_attributes(const QueueInfo& queue, const Json& names, const SqsOptions& sqs);

// --- single attributes ---

// Returns whether a queue is a FIFO queue of SQS: it has the name of one, by which clients go, and behaves
// like one. A queue that was created in another way may have only the name, or only the ordered groups and
// the deduplication; it then is a standard queue.
bool is_fifo_queue(std::string_view name, const QueueOptions& options);
std::chrono::seconds default_wait(const QueueOptions& options);
bool counts_ids_by_group(const QueueOptions& options);

// Keeps a value in tags. kept_value() returns an empty text if there is none.
std::string kept_value(const Tags& tags, std::string_view attribute);
void keep_value(Tags& tags, std::string_view attribute, std::string_view value);

// Returns whether a tag belongs to the queue's users, and not to SQS.
bool is_own_tag(std::string_view name);
Outcome<void> check_tag(std::string_view key, std::string_view value);

}  // namespace holdfast::server::sqs
