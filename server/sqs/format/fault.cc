#include "server/sqs/format/fault.h"

#include <algorithm>
#include <array>

namespace holdfast::server::sqs {
namespace {

using enum FaultCode;

// The table has two families of names: those of the service's model, and those that the service's framework
// adds.
constexpr auto kTable = std::to_array<FaultInfo>({
    {kInvalidParameterValue, "com.amazon.coral.service#InvalidParameterValueException",
     "InvalidParameterValue", 400},
    {kMissingParameter, "com.amazon.coral.service#MissingRequiredParameterException", "MissingParameter",
     400},
    {kInvalidAction, "com.amazon.coral.service#UnknownOperationException", "InvalidAction", 400},
    {kMalformedInput, "com.amazon.coral.service#SerializationException", "MalformedInput", 400},
    {kRequestTooLarge, "com.amazon.coral.service#RequestEntityTooLargeException", "RequestEntityTooLarge",
     413},
    {kInvalidAttributeName, "com.amazonaws.sqs#InvalidAttributeName", "InvalidAttributeName", 400},
    {kInvalidAttributeValue, "com.amazonaws.sqs#InvalidAttributeValue", "InvalidAttributeValue", 400},
    {kInvalidMessageContents, "com.amazonaws.sqs#InvalidMessageContents", "InvalidMessageContents", 400},
    {kInvalidIdFormat, "com.amazonaws.sqs#InvalidIdFormat", "InvalidIdFormat", 400},
    {kReceiptHandleIsInvalid, "com.amazonaws.sqs#ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 400},
    {kMessageNotInflight, "com.amazonaws.sqs#MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight",
     400},
    {kOverLimit, "com.amazonaws.sqs#OverLimit", "OverLimit", 400},
    {kQueueDoesNotExist, "com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue",
     400},
    {kQueueNameExists, "com.amazonaws.sqs#QueueNameExists", "QueueAlreadyExists", 400},
    {kQueueDeletedRecently, "com.amazonaws.sqs#QueueDeletedRecently",
     "AWS.SimpleQueueService.QueueDeletedRecently", 400},
    {kPurgeQueueInProgress, "com.amazonaws.sqs#PurgeQueueInProgress",
     "AWS.SimpleQueueService.PurgeQueueInProgress", 403},
    {kResourceNotFound, "com.amazonaws.sqs#ResourceNotFoundException", "ResourceNotFoundException", 404},
    {kUnsupportedOperation, "com.amazonaws.sqs#UnsupportedOperation",
     "AWS.SimpleQueueService.UnsupportedOperation", 400},
    {kEmptyBatchRequest, "com.amazonaws.sqs#EmptyBatchRequest", "AWS.SimpleQueueService.EmptyBatchRequest",
     400},
    {kTooManyEntriesInBatchRequest, "com.amazonaws.sqs#TooManyEntriesInBatchRequest",
     "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", 400},
    {kBatchEntryIdsNotDistinct, "com.amazonaws.sqs#BatchEntryIdsNotDistinct",
     "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", 400},
    {kInvalidBatchEntryId, "com.amazonaws.sqs#InvalidBatchEntryId",
     "AWS.SimpleQueueService.InvalidBatchEntryId", 400},
    {kBatchRequestTooLong, "com.amazonaws.sqs#BatchRequestTooLong",
     "AWS.SimpleQueueService.BatchRequestTooLong", 400},
    {kAccessDenied, "com.amazon.coral.service#AccessDeniedException", "AccessDenied", 403},
    {kMissingAuthenticationToken, "com.amazon.coral.service#MissingAuthenticationTokenException",
     "MissingAuthenticationToken", 403},
    {kInvalidClientTokenId, "com.amazon.coral.service#UnrecognizedClientException", "InvalidClientTokenId",
     403},
    {kSignatureDoesNotMatch, "com.amazon.coral.service#InvalidSignatureException", "SignatureDoesNotMatch",
     403},
    {kRequestThrottled, "com.amazonaws.sqs#RequestThrottled", "RequestThrottled", 400},
    {kServiceUnavailable, "com.amazon.coral.service#ServiceUnavailableException", "ServiceUnavailable", 503},
    {kInternalFailure, "com.amazon.coral.service#InternalFailure", "InternalFailure", 500},
});

FaultCode code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kDeadLetterCycle:
    case ErrorCode::kPreconditionFailed:
      return kInvalidParameterValue;
    case ErrorCode::kQueueNotFound:
      return kQueueDoesNotExist;
    case ErrorCode::kQueueExists:
      return kQueueNameExists;
    case ErrorCode::kMessageNotFound:
    case ErrorCode::kReceiptStale:
      return kReceiptHandleIsInvalid;
    case ErrorCode::kTaskNotFound:
      return kResourceNotFound;
    case ErrorCode::kQueueInUse:
    case ErrorCode::kNoDeadLetterQueue:
      return kUnsupportedOperation;
    case ErrorCode::kQueueFull:
      return kOverLimit;
    case ErrorCode::kOverloaded:
    case ErrorCode::kQueuePaused:
      return kRequestThrottled;
    case ErrorCode::kClosed:
    case ErrorCode::kUnavailable:
    case ErrorCode::kDiskFull:
    case ErrorCode::kOutcomeUnknown:
      return kServiceUnavailable;
    case ErrorCode::kPermissionDenied:
      return kAccessDenied;
    default:
      return kInternalFailure;
  }
}

}  // namespace

const FaultInfo& fault_info(FaultCode code) {
  const auto* row = std::ranges::find(kTable, code, &FaultInfo::code);
  return row == kTable.end() ? kTable.back() : *row;
}

tl::unexpected<Fault> invalid_value(std::string_view value, std::string_view parameter,
                                    std::string_view reason) {
  return refuse(kInvalidParameterValue, "Value " + std::string(value) + " for parameter " +
                                            std::string(parameter) +
                                            " is invalid. Reason: " + std::string(reason));
}

tl::unexpected<Fault> missing(std::string_view parameter) {
  return refuse(kMissingParameter, "The request must contain the parameter " + std::string(parameter) + ".");
}

Fault fault_of(const Error& error) {
  if (error.code == ErrorCode::kQueueNotFound)
    return {kQueueDoesNotExist, "The specified queue does not exist."};
  return {code_of(error.code), error.message};
}

}  // namespace holdfast::server::sqs
