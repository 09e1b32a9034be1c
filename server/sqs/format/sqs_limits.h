// The limits of Amazon SQS, in one table. Source: the service's quotas in its developer guide.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace holdfast::server::sqs::limits {

struct Range {
  std::int64_t least;
  std::int64_t most;
};

// A message has this many bytes at most, as has a batch: bodies, and names, types and values of attributes.
inline constexpr std::size_t kMessageBytes = 1'048'576;
// kRequestBytes is the most bytes of a request: a full batch of which each byte is escaped (\u0041), and what
// describes it. This limit is the server's own.
inline constexpr std::size_t kRequestBytes = 8 * kMessageBytes;
inline constexpr std::size_t kMessageAttributes = 10;
inline constexpr std::size_t kAttributeTypeBytes = 256;
// An attribute of the type Number has these limits: the digits before its exponent, without the zeros at both
// ends, and the powers of 10 between which its size is, unless it is 0.
inline constexpr std::size_t kNumberDigits = 38;
inline constexpr Range kNumberPowers{-128, 126};
inline constexpr std::size_t kEntries = 10;  // of one batch
inline constexpr std::size_t kEntryIdBytes = 80;
inline constexpr std::size_t kQueueNameBytes = 80;  // with ".fifo"
inline constexpr std::size_t kIdBytes = 128;        // of groups and of deduplication
inline constexpr std::size_t kTagKeyBytes = 128;
inline constexpr std::size_t kTagValueBytes = 256;
inline constexpr std::size_t kLabelBytes = 80;       // of a permission
inline constexpr std::size_t kAllowedSources = 10;   // of a RedriveAllowPolicy
inline constexpr std::size_t kActions = 7;           // of a permission
inline constexpr std::uint64_t kInFlight = 120'000;  // messages of a standard queue
inline constexpr std::uint64_t kInFlightFifo = 20'000;

inline constexpr Range kVisibility{0, 43'200};  // the ranges from kVisibility to kRetention are in seconds
inline constexpr Range kDelay{0, 900};
inline constexpr Range kWait{0, 20};
inline constexpr Range kRetention{60, 1'209'600};
inline constexpr Range kMaximumMessageSize{1'024, 1'048'576};
inline constexpr Range kReceiveCount{1, 1'000};  // of a RedrivePolicy
inline constexpr Range kReceive{1, 10};          // messages of one call
inline constexpr Range kPage{1, 1'000};          // of ListQueues
inline constexpr Range kTaskPage{1, 10};
inline constexpr Range kTaskRate{1, 500};  // messages a second
inline constexpr Range kKeyReuse{60, 86'400};

inline constexpr std::int64_t kRetentionDefault = 345'600;
inline constexpr std::int64_t kTaskPageDefault = 1;

inline constexpr std::chrono::minutes kClockSkew{15};

}  // namespace holdfast::server::sqs::limits
