// How queues and deliveries are called: names, URLs, ARNs, receipt handles.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/ids.h"
#include "server/options/sqs_options.h"
#include "server/sqs/format/fault.h"

namespace holdfast::server::sqs {

// Only such a name can be that of a FIFO queue: see is_fifo_queue().
bool has_fifo_name(std::string_view queue);

// Of a queue that is to be made. Queues of other names, made by other doors, may be used all the same.
Outcome<void> check_new_name(std::string_view name);

// The last part of a URL, or of its path: whatever host and account it has, there is one of that name.
std::string queue_in_url(std::string_view url);

std::string arn_of(std::string_view queue, const SqsOptions& options);
// Empty if it is none of this server's.
std::string queue_in_arn(std::string_view arn, const SqsOptions& options);

// A receipt, and the queue that it is of: a handle that is shown for another queue is refused.
std::string handle_of(std::string_view queue, const Receipt& receipt);
// kReceiptHandleIsInvalid
Outcome<Receipt> receipt_in(std::string_view handle, std::string_view queue);

}  // namespace holdfast::server::sqs
