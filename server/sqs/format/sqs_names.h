// The names of queues and deliveries in SQS: names, URLs, ARNs, receipt handles.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/ids.h"
#include "server/options/sqs_options.h"
#include "server/sqs/format/fault.h"

namespace holdfast::server::sqs {

// Returns whether the name is that of a FIFO queue. Only a queue with such a name can be one (see
// is_fifo_queue()).
bool has_fifo_name(std::string_view queue);

// Checks the name of a queue that is to be created. Queues with other names, which were created in other
// ways, may be used all the same.
Outcome<void> check_new_name(std::string_view name);

// Returns the last part of a URL or of its path. There is one queue of that name, whatever host and account
// the URL has.
std::string queue_in_url(std::string_view url);

std::string arn_of(std::string_view queue, const SqsOptions& options);
// Returns the queue that an ARN names; an empty text if the ARN is not this server's.
std::string queue_in_arn(std::string_view arn, const SqsOptions& options);

// Makes a handle of a receipt and its queue. A handle that is shown for another queue is refused.
std::string handle_of(std::string_view queue, const Receipt& receipt);
// Reads a handle. kReceiptHandleIsInvalid for one of another queue, or one that does not decode.
Outcome<Receipt> receipt_in(std::string_view handle, std::string_view queue);

}  // namespace holdfast::server::sqs
