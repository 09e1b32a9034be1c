// The answers to calls that fail, in one table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::server::sqs {

enum class FaultCode : std::uint8_t {
  kInvalidParameterValue,
  kMissingParameter,
  kInvalidAction,
  kMalformedInput,
  kRequestTooLarge,
  kInvalidAttributeName,
  kInvalidAttributeValue,
  kInvalidMessageContents,
  kInvalidIdFormat,
  kReceiptHandleIsInvalid,
  kMessageNotInflight,
  kOverLimit,
  kQueueDoesNotExist,
  kQueueNameExists,
  kQueueDeletedRecently,
  kPurgeQueueInProgress,
  kResourceNotFound,
  kUnsupportedOperation,
  kEmptyBatchRequest,
  kTooManyEntriesInBatchRequest,
  kBatchEntryIdsNotDistinct,
  kInvalidBatchEntryId,
  kBatchRequestTooLong,
  kAccessDenied,
  kMissingAuthenticationToken,
  kInvalidClientTokenId,
  kSignatureDoesNotMatch,
  kRequestThrottled,
  kServiceUnavailable,
  kInternalFailure,
};

struct FaultInfo {
  FaultCode code;
  std::string_view json_type;   // "com.amazonaws.sqs#QueueDoesNotExist"
  std::string_view query_code;  // also in the header x-amzn-query-error, and in an entry of a batch
  unsigned status;

  // Returns whether the sender is at fault, as the query protocol says it.
  bool is_senders() const { return status < 500; }
};

const FaultInfo& fault_info(FaultCode code);

struct Fault {
  FaultCode code = FaultCode::kInternalFailure;
  std::string message = {};

  friend bool operator==(const Fault&, const Fault&) = default;
};

template <class T>
using Outcome = tl::expected<T, Fault>;

inline tl::unexpected<Fault> refuse(FaultCode code, std::string message) {
  return tl::unexpected(Fault{code, std::move(message)});
}

// Makes a fault: "Value X for parameter P is invalid. Reason: …".
tl::unexpected<Fault> invalid_value(std::string_view value, std::string_view parameter,
                                    std::string_view reason);
tl::unexpected<Fault> missing(std::string_view parameter);

// Makes the fault for an error of the engine, or of the server before it.
Fault fault_of(const Error& error);

template <class T>
Outcome<T> outcome_of(Result<T> result) {
  if (!result) return tl::unexpected(fault_of(result.error()));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return *std::move(result);
  }
}

}  // namespace holdfast::server::sqs
