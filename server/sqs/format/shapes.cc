#include "server/sqs/format/shapes.h"

#include <algorithm>
#include <array>

namespace holdfast::server::sqs {
namespace {

constexpr bool kRequired = true;

constexpr Shape kText{Kind::kText};
constexpr Shape kInteger{Kind::kInteger};
constexpr Shape kBoolean{Kind::kBoolean};
constexpr Shape kBytes{Kind::kBytes};
constexpr Shape kTexts{.kind = Kind::kList, .element = &kText};
constexpr Shape kBytesList{.kind = Kind::kList, .element = &kBytes};
constexpr Shape kAttributes{.kind = Kind::kMap, .element = &kText, .key = "Name", .value = "Value"};
constexpr Shape kTags{.kind = Kind::kMap, .element = &kText, .key = "Key", .value = "Value"};

constexpr Shape structure(std::span<const Member> members) {
  return {.kind = Kind::kStructure, .members = members};
}
constexpr Shape list_of(const Shape& element) { return {.kind = Kind::kList, .element = &element}; }

constexpr Member kQueueUrl{"QueueUrl", &kText, {}, kRequired};

constexpr std::array kMessageAttributeMembers{
    Member{"StringValue", &kText},
    Member{"BinaryValue", &kBytes},
    Member{"StringListValues", &kTexts, "StringListValue"},
    Member{"BinaryListValues", &kBytesList, "BinaryListValue"},
    Member{"DataType", &kText, {}, kRequired},
};
constexpr Shape kMessageAttribute = structure(kMessageAttributeMembers);
constexpr Shape kMessageAttributes{
    .kind = Kind::kMap, .element = &kMessageAttribute, .key = "Name", .value = "Value"};

// --- queues ---

constexpr std::array kCreateQueueMembers{
    Member{"QueueName", &kText, {}, kRequired},
    Member{"Attributes", &kAttributes, "Attribute"},
    Member{"tags", &kTags, "Tag"},
};
constexpr Shape kCreateQueue = structure(kCreateQueueMembers);
constexpr std::array kQueueUrlMembers{kQueueUrl};
constexpr Shape kQueueUrlAlone = structure(kQueueUrlMembers);
constexpr std::array kGetQueueUrlMembers{
    Member{"QueueName", &kText, {}, kRequired},
    Member{"QueueOwnerAWSAccountId", &kText},
};
constexpr Shape kGetQueueUrl = structure(kGetQueueUrlMembers);
constexpr std::array kListQueuesMembers{
    Member{"QueueNamePrefix", &kText},
    Member{"NextToken", &kText},
    Member{"MaxResults", &kInteger},
};
constexpr Shape kListQueues = structure(kListQueuesMembers);
constexpr std::array kListQueuesResultMembers{
    Member{"QueueUrls", &kTexts, "QueueUrl"},
    Member{"NextToken", &kText},
};
constexpr Shape kListQueuesResult = structure(kListQueuesResultMembers);
constexpr std::array kListSourcesMembers{
    kQueueUrl,
    Member{"NextToken", &kText},
    Member{"MaxResults", &kInteger},
};
constexpr Shape kListSources = structure(kListSourcesMembers);
constexpr std::array kListSourcesResultMembers{
    Member{"queueUrls", &kTexts, "QueueUrl"},
    Member{"NextToken", &kText},
};
constexpr Shape kListSourcesResult = structure(kListSourcesResultMembers);
constexpr std::array kGetQueueAttributesMembers{
    kQueueUrl,
    Member{"AttributeNames", &kTexts, "AttributeName"},
};
constexpr Shape kGetQueueAttributes = structure(kGetQueueAttributesMembers);
constexpr std::array kAttributesResultMembers{Member{"Attributes", &kAttributes, "Attribute"}};
constexpr Shape kAttributesResult = structure(kAttributesResultMembers);
constexpr std::array kSetQueueAttributesMembers{
    kQueueUrl,
    Member{"Attributes", &kAttributes, "Attribute", kRequired},
};
constexpr Shape kSetQueueAttributes = structure(kSetQueueAttributesMembers);
constexpr std::array kTagQueueMembers{kQueueUrl, Member{"Tags", &kTags, "Tag", kRequired}};
constexpr Shape kTagQueue = structure(kTagQueueMembers);
constexpr std::array kUntagQueueMembers{kQueueUrl, Member{"TagKeys", &kTexts, "TagKey", kRequired}};
constexpr Shape kUntagQueue = structure(kUntagQueueMembers);
constexpr std::array kTagsResultMembers{Member{"Tags", &kTags, "Tag"}};
constexpr Shape kTagsResult = structure(kTagsResultMembers);
constexpr std::array kAddPermissionMembers{
    kQueueUrl,
    Member{"Label", &kText, {}, kRequired},
    Member{"AWSAccountIds", &kTexts, "AWSAccountId", kRequired},
    Member{"Actions", &kTexts, "ActionName", kRequired},
};
constexpr Shape kAddPermission = structure(kAddPermissionMembers);
constexpr std::array kRemovePermissionMembers{kQueueUrl, Member{"Label", &kText, {}, kRequired}};
constexpr Shape kRemovePermission = structure(kRemovePermissionMembers);

// --- messages ---

constexpr Member kBody{"MessageBody", &kText, {}, kRequired};
constexpr Member kDelay{"DelaySeconds", &kInteger};
constexpr Member kMessageAttributesMember{"MessageAttributes", &kMessageAttributes, "MessageAttribute"};
constexpr Member kSystemAttributesMember{"MessageSystemAttributes", &kMessageAttributes,
                                         "MessageSystemAttribute"};
constexpr Member kDeduplicationId{"MessageDeduplicationId", &kText};
constexpr Member kGroupId{"MessageGroupId", &kText};

constexpr std::array kSendMembers{
    kQueueUrl, kBody, kDelay, kMessageAttributesMember, kSystemAttributesMember, kDeduplicationId, kGroupId,
};
constexpr Shape kSend = structure(kSendMembers);
constexpr std::array kSendResultMembers{
    Member{"MD5OfMessageBody", &kText},
    Member{"MD5OfMessageAttributes", &kText},
    Member{"MD5OfMessageSystemAttributes", &kText},
    Member{"MessageId", &kText},
    Member{"SequenceNumber", &kText},
};
constexpr Shape kSendResult = structure(kSendResultMembers);

constexpr Member kEntryId{"Id", &kText, {}, kRequired};
constexpr std::array kFailedEntryMembers{
    kEntryId,
    Member{"SenderFault", &kBoolean},
    Member{"Code", &kText},
    Member{"Message", &kText},
};
constexpr Shape kFailedEntry = structure(kFailedEntryMembers);
constexpr Shape kFailedEntries = list_of(kFailedEntry);
constexpr Member kFailed{"Failed", &kFailedEntries, "BatchResultErrorEntry"};

constexpr std::array kSendEntryMembers{
    kEntryId, kBody, kDelay, kMessageAttributesMember, kSystemAttributesMember, kDeduplicationId, kGroupId,
};
constexpr Shape kSendEntry = structure(kSendEntryMembers);
constexpr Shape kSendEntries = list_of(kSendEntry);
constexpr std::array kSendBatchMembers{
    kQueueUrl,
    Member{"Entries", &kSendEntries, "SendMessageBatchRequestEntry"},
};
constexpr Shape kSendBatch = structure(kSendBatchMembers);
constexpr std::array kSentEntryMembers{
    kEntryId,
    Member{"MessageId", &kText},
    Member{"MD5OfMessageBody", &kText},
    Member{"MD5OfMessageAttributes", &kText},
    Member{"MD5OfMessageSystemAttributes", &kText},
    Member{"SequenceNumber", &kText},
};
constexpr Shape kSentEntry = structure(kSentEntryMembers);
constexpr Shape kSentEntries = list_of(kSentEntry);
constexpr std::array kSendBatchResultMembers{
    Member{"Successful", &kSentEntries, "SendMessageBatchResultEntry"},
    kFailed,
};
constexpr Shape kSendBatchResult = structure(kSendBatchResultMembers);

constexpr std::array kReceiveMembers{
    kQueueUrl,
    Member{"AttributeNames", &kTexts, "AttributeName"},
    Member{"MessageSystemAttributeNames", &kTexts, "MessageSystemAttributeName"},
    Member{"MessageAttributeNames", &kTexts, "MessageAttributeName"},
    Member{"MaxNumberOfMessages", &kInteger},
    Member{"VisibilityTimeout", &kInteger},
    Member{"WaitTimeSeconds", &kInteger},
    Member{"ReceiveRequestAttemptId", &kText},
};
constexpr Shape kReceive = structure(kReceiveMembers);
constexpr std::array kMessageMembers{
    Member{"MessageId", &kText},
    Member{"ReceiptHandle", &kText},
    Member{"MD5OfBody", &kText},
    Member{"Body", &kText},
    Member{"Attributes", &kAttributes, "Attribute"},
    Member{"MD5OfMessageAttributes", &kText},
    Member{"MessageAttributes", &kMessageAttributes, "MessageAttribute"},
};
constexpr Shape kMessage = structure(kMessageMembers);
constexpr Shape kMessages = list_of(kMessage);
constexpr std::array kReceiveResultMembers{Member{"Messages", &kMessages, "Message"}};
constexpr Shape kReceiveResult = structure(kReceiveResultMembers);

constexpr Member kReceiptHandle{"ReceiptHandle", &kText, {}, kRequired};
constexpr Member kVisibility{"VisibilityTimeout", &kInteger, {}, kRequired};
constexpr std::array kDeleteMembers{kQueueUrl, kReceiptHandle};
constexpr Shape kDelete = structure(kDeleteMembers);
constexpr std::array kChangeVisibilityMembers{kQueueUrl, kReceiptHandle, kVisibility};
constexpr Shape kChangeVisibility = structure(kChangeVisibilityMembers);

constexpr std::array kDeleteEntryMembers{kEntryId, kReceiptHandle};
constexpr Shape kDeleteEntry = structure(kDeleteEntryMembers);
constexpr Shape kDeleteEntries = list_of(kDeleteEntry);
constexpr std::array kDeleteBatchMembers{
    kQueueUrl,
    Member{"Entries", &kDeleteEntries, "DeleteMessageBatchRequestEntry"},
};
constexpr Shape kDeleteBatch = structure(kDeleteBatchMembers);
constexpr std::array kChangeEntryMembers{kEntryId, kReceiptHandle, kVisibility};
constexpr Shape kChangeEntry = structure(kChangeEntryMembers);
constexpr Shape kChangeEntries = list_of(kChangeEntry);
constexpr std::array kChangeBatchMembers{
    kQueueUrl,
    Member{"Entries", &kChangeEntries, "ChangeMessageVisibilityBatchRequestEntry"},
};
constexpr Shape kChangeBatch = structure(kChangeBatchMembers);
constexpr std::array kDoneEntryMembers{kEntryId};
constexpr Shape kDoneEntry = structure(kDoneEntryMembers);
constexpr Shape kDoneEntries = list_of(kDoneEntry);
constexpr std::array kDeleteBatchResultMembers{
    Member{"Successful", &kDoneEntries, "DeleteMessageBatchResultEntry"},
    kFailed,
};
constexpr Shape kDeleteBatchResult = structure(kDeleteBatchResultMembers);
constexpr std::array kChangeBatchResultMembers{
    Member{"Successful", &kDoneEntries, "ChangeMessageVisibilityBatchResultEntry"},
    kFailed,
};
constexpr Shape kChangeBatchResult = structure(kChangeBatchResultMembers);

// --- tasks that move dead letters ---

constexpr std::array kStartMoveMembers{
    Member{"SourceArn", &kText, {}, kRequired},
    Member{"DestinationArn", &kText},
    Member{"MaxNumberOfMessagesPerSecond", &kInteger},
};
constexpr Shape kStartMove = structure(kStartMoveMembers);
constexpr std::array kTaskHandleMembers{Member{"TaskHandle", &kText, {}, kRequired}};
constexpr Shape kTaskHandle = structure(kTaskHandleMembers);
constexpr std::array kCancelMoveResultMembers{Member{"ApproximateNumberOfMessagesMoved", &kInteger}};
constexpr Shape kCancelMoveResult = structure(kCancelMoveResultMembers);
constexpr std::array kListMovesMembers{
    Member{"SourceArn", &kText, {}, kRequired},
    Member{"MaxResults", &kInteger},
};
constexpr Shape kListMoves = structure(kListMovesMembers);
constexpr std::array kMoveMembers{
    Member{"TaskHandle", &kText},
    Member{"Status", &kText},
    Member{"SourceArn", &kText},
    Member{"DestinationArn", &kText},
    Member{"MaxNumberOfMessagesPerSecond", &kInteger},
    Member{"ApproximateNumberOfMessagesMoved", &kInteger},
    Member{"ApproximateNumberOfMessagesToMove", &kInteger},
    Member{"FailureReason", &kText},
    Member{"StartedTimestamp", &kInteger},
};
constexpr Shape kMove = structure(kMoveMembers);
constexpr Shape kMoves = list_of(kMove);
constexpr std::array kListMovesResultMembers{Member{"Results", &kMoves, "ListMessageMoveTasksResultEntry"}};
constexpr Shape kListMovesResult = structure(kListMovesResultMembers);

constexpr auto kOperations = std::to_array<OperationShape>({
    {"AddPermission", &kAddPermission, nullptr},
    {"CancelMessageMoveTask", &kTaskHandle, &kCancelMoveResult},
    {"ChangeMessageVisibility", &kChangeVisibility, nullptr},
    {"ChangeMessageVisibilityBatch", &kChangeBatch, &kChangeBatchResult},
    {"CreateQueue", &kCreateQueue, &kQueueUrlAlone},
    {"DeleteMessage", &kDelete, nullptr},
    {"DeleteMessageBatch", &kDeleteBatch, &kDeleteBatchResult},
    {"DeleteQueue", &kQueueUrlAlone, nullptr},
    {"GetQueueAttributes", &kGetQueueAttributes, &kAttributesResult},
    {"GetQueueUrl", &kGetQueueUrl, &kQueueUrlAlone},
    {"ListDeadLetterSourceQueues", &kListSources, &kListSourcesResult},
    {"ListMessageMoveTasks", &kListMoves, &kListMovesResult},
    {"ListQueueTags", &kQueueUrlAlone, &kTagsResult},
    {"ListQueues", &kListQueues, &kListQueuesResult},
    {"PurgeQueue", &kQueueUrlAlone, nullptr},
    {"ReceiveMessage", &kReceive, &kReceiveResult},
    {"RemovePermission", &kRemovePermission, nullptr},
    {"SendMessage", &kSend, &kSendResult},
    {"SendMessageBatch", &kSendBatch, &kSendBatchResult},
    {"SetQueueAttributes", &kSetQueueAttributes, nullptr},
    {"StartMessageMoveTask", &kStartMove, &kTaskHandle},
    {"TagQueue", &kTagQueue, nullptr},
    {"UntagQueue", &kUntagQueue, nullptr},
});

}  // namespace

std::span<const OperationShape> operation_shapes() { return kOperations; }

const OperationShape* find_operation(std::string_view name) {
  const auto* found = std::ranges::find(kOperations, name, &OperationShape::name);
  return found == kOperations.end() ? nullptr : found;
}

}  // namespace holdfast::server::sqs
