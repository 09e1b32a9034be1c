// This header declares the operations. Each takes the members of its input shape, of which the required ones
// must be there, and returns those of its output shape.
#pragma once

#include <string_view>

#include "server/http/json/json_values.h"
#include "server/sqs/operations/sqs_call.h"

namespace holdfast::server::sqs {

// The call must outlive the promise.
using Operation = Promised<Json> (*)(SqsCall& call, const Json& input);

// Returns null if there is no operation of that name. There is one for each name of operation_shapes().
Operation operation_of(std::string_view name);

// --- queue_operations.cc ---
Promised<Json> create_queue(SqsCall& call, const Json& input);
Promised<Json> delete_queue(SqsCall& call, const Json& input);
Promised<Json> purge_queue(SqsCall& call, const Json& input);
Promised<Json> get_queue_url(SqsCall& call, const Json& input);
Promised<Json> list_queues(SqsCall& call, const Json& input);
Promised<Json> list_dead_letter_source_queues(SqsCall& call, const Json& input);
Promised<Json> get_queue_attributes(SqsCall& call, const Json& input);
Promised<Json> set_queue_attributes(SqsCall& call, const Json& input);

// --- tag_operations.cc ---
Promised<Json> tag_queue(SqsCall& call, const Json& input);
Promised<Json> untag_queue(SqsCall& call, const Json& input);
Promised<Json> list_queue_tags(SqsCall& call, const Json& input);
Promised<Json> add_permission(SqsCall& call, const Json& input);
Promised<Json> remove_permission(SqsCall& call, const Json& input);

// --- message_operations.cc ---
Promised<Json> send_message(SqsCall& call, const Json& input);
Promised<Json> send_message_batch(SqsCall& call, const Json& input);
Promised<Json> receive_message(SqsCall& call, const Json& input);

// --- settle_operations.cc ---
Promised<Json> delete_message(SqsCall& call, const Json& input);
Promised<Json> delete_message_batch(SqsCall& call, const Json& input);
Promised<Json> change_message_visibility(SqsCall& call, const Json& input);
Promised<Json> change_message_visibility_batch(SqsCall& call, const Json& input);

// --- move_task_operations.cc ---
Promised<Json> start_message_move_task(SqsCall& call, const Json& input);
Promised<Json> list_message_move_tasks(SqsCall& call, const Json& input);
Promised<Json> cancel_message_move_task(SqsCall& call, const Json& input);

}  // namespace holdfast::server::sqs
