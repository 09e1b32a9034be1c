#include "server/sqs/operations/operation_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::server::sqs {
namespace {

constexpr auto kOperations = std::to_array<std::pair<std::string_view, Operation>>({
    {"AddPermission", add_permission},
    {"CancelMessageMoveTask", cancel_message_move_task},
    {"ChangeMessageVisibility", change_message_visibility},
    {"ChangeMessageVisibilityBatch", change_message_visibility_batch},
    {"CreateQueue", create_queue},
    {"DeleteMessage", delete_message},
    {"DeleteMessageBatch", delete_message_batch},
    {"DeleteQueue", delete_queue},
    {"GetQueueAttributes", get_queue_attributes},
    {"GetQueueUrl", get_queue_url},
    {"ListDeadLetterSourceQueues", list_dead_letter_source_queues},
    {"ListMessageMoveTasks", list_message_move_tasks},
    {"ListQueueTags", list_queue_tags},
    {"ListQueues", list_queues},
    {"PurgeQueue", purge_queue},
    {"ReceiveMessage", receive_message},
    {"RemovePermission", remove_permission},
    {"SendMessage", send_message},
    {"SendMessageBatch", send_message_batch},
    {"SetQueueAttributes", set_queue_attributes},
    {"StartMessageMoveTask", start_message_move_task},
    {"TagQueue", tag_queue},
    {"UntagQueue", untag_queue},
});

}  // namespace

Operation operation_of(std::string_view name) {
  const auto* found = std::ranges::find(kOperations, name, &std::pair<std::string_view, Operation>::first);
  return found == kOperations.end() ? nullptr : found->second;
}

}  // namespace holdfast::server::sqs
