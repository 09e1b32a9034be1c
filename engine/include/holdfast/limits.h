// Every limit, in one table. A size or a number past its limit is refused with kLimitExceeded, and a value
// that makes no sense with kInvalidArgument. The error names the field and the limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast::limits {

// Names of queues consist of letters, digits, '.', '_' and '-'. A name is neither empty nor "." nor "..".
inline constexpr std::size_t kQueueNameBytes = 128;

// These hold for a message.
inline constexpr std::size_t kBodyBytes = 1 << 20;           // default of QueueOptions::limits.max_body_bytes
inline constexpr std::size_t kBodyBytesMax = 64 << 20;       // the largest max_body_bytes of a queue
inline constexpr std::size_t kAttributes = 64;               // attributes of a message
inline constexpr std::size_t kAttributeNameBytes = 128;      // a name is not empty
inline constexpr std::size_t kAttributeValueBytes = 4096;    // a value may be empty
inline constexpr std::size_t kAttributesTotalBytes = 65536;  // names and values together
inline constexpr std::size_t kGroupBytes = 128;              // the name of the group, which may be empty
inline constexpr std::size_t kDeduplicationIdBytes = 128;    // the id may be empty

// These hold for JSON that is read: bodies of requests over HTTP, patches, bodies that they edit, archives.
inline constexpr int kJsonDepth = 256;               // levels of nesting
inline constexpr std::size_t kJsonValues = 1 << 21;  // values in one text; a full batch has 2,050,000
inline constexpr std::size_t kJsonMembers = 1'000;  // members of one object, except in bodies that are edited

// These hold for a call.
inline constexpr std::size_t kBatchEntries = 10'000;  // messages or receipts in one call
inline constexpr std::size_t kBatchBytes = 64 << 20;  // bodies and attributes in one call of several entries
inline constexpr std::size_t kReceiveMax = 10'000;    // messages that one receive hands out
inline constexpr std::size_t kListPage = 1'000;       // dead letters or peeked messages in one page
inline constexpr std::size_t kPeekScan = 10'000;      // messages that one peek looks at

// A line in an archive of dead letters has at most this length. A longer one is malformed. A line has the
// body in base64 and, if the message was edited, the original body too; all else takes less than one MiB.
inline constexpr std::size_t kArchiveLineBytes = 2 * (kBodyBytesMax / 3 + 1) * 4 + (1 << 20);

// These hold for journals.
inline constexpr std::uint64_t kJournalEntriesMin = 100;
inline constexpr std::uint64_t kJournalEntriesMax = 100'000'000;
inline constexpr std::size_t kJournalReasonBytes = 256;  // the reason of a death is cut to this
inline constexpr std::size_t kHistorySteps = 10'000;     // steps of one message that a call returns

// This many calls of Engine::async_call may wait for their turn. More calls are refused with kOverloaded.
inline constexpr std::size_t kWaitingCalls = 10'000;

// These hold for families of the application. Their names consist of the same characters as names of queues.
inline constexpr std::size_t kApplicationFamilies = 64;
inline constexpr std::size_t kFamilyNameBytes = 128;
inline constexpr std::size_t kApplicationKeyBytes = 1024;  // a key is not empty
inline constexpr std::size_t kApplicationValueBytes = 1 << 20;
inline constexpr std::size_t kScanRows = 10'000;  // rows that one scan returns

// These hold for calls with a request id.
inline constexpr std::size_t kRequestIdBytes = 64;
inline constexpr Duration kRequestWindow = std::chrono::minutes(5);  // how long a call is remembered at least

// These hold for times.
inline constexpr Duration kLeaseMin = std::chrono::milliseconds(1);
inline constexpr Duration kLeaseMax = std::chrono::hours(12);
inline constexpr Duration kDelayMax = std::chrono::hours(24 * 365 * 10);
inline constexpr Duration kDeduplicationWindowMin = std::chrono::seconds(1);
inline constexpr Duration kDeduplicationWindowMax = std::chrono::hours(24 * 7);
inline constexpr Duration kPriorityAgingMax = std::chrono::hours(24 * 365);
inline constexpr Duration kKeepMax = std::chrono::hours(24 * 365 * 100);
inline constexpr Duration kWaitMax = std::chrono::hours(1);
// The latest time in an imported dead letter is the end of the year 9999. The earliest is the epoch.
inline constexpr Timestamp kImportedTimeMax =
    std::chrono::sys_days(std::chrono::year(10'000) / std::chrono::January / 1) - Duration(1);

// These hold for the options of a queue.
inline constexpr std::uint32_t kMaxDeliveriesMin = 1;
inline constexpr std::uint32_t kMaxDeliveriesMax = 1'000;
inline constexpr std::uint32_t kPrioritiesMin = 1;
inline constexpr std::uint32_t kPrioritiesMax = 16;
inline constexpr std::size_t kDeadLetterRoutes = 64;
inline constexpr std::size_t kDeadLetterSources = 256;
inline constexpr std::size_t kSearchedAttributes = 8;
inline constexpr std::size_t kRetryStages = 32;
inline constexpr std::size_t kTags = 50;
inline constexpr std::size_t kTagNameBytes = 128;   // a name is not empty
inline constexpr std::size_t kTagValueBytes = 256;  // a value may be empty

// A queue with grouping looks at this many ready messages to find a free group. It remembers them in memory,
// in about 200 bytes each. Source: Amazon SQS, which looks through the first 120,000 messages of a FIFO queue
// (Developer Guide, "FIFO queue quotas").
inline constexpr std::size_t kGroupLookahead = 120'000;

// These hold for failure records. A longer text is refused, with these exceptions: of a stack trace the
// innermost frames are kept; a reason or a partial output is cut. A cut text has a mark that says so.
inline constexpr std::size_t kCategoryBytes = 128;
inline constexpr std::size_t kErrorCodeBytes = 128;
inline constexpr std::size_t kReasonBytes = 4096;
inline constexpr std::size_t kStackTraceBytes = 16384;
inline constexpr std::size_t kStackTraceFrames = 20;
inline constexpr std::size_t kConsumerBytes = 256;  // the instance or the version of a consumer
inline constexpr std::size_t kNestedErrors = 16;
inline constexpr std::size_t kNestedErrorBytes = 1024;  // the code and the message of one error together
inline constexpr std::size_t kPartialOutputBytes = 16384;
inline constexpr std::size_t kFirstAttempts = 3;          // the first failed deliveries that are kept
inline constexpr std::size_t kLastAttempts = 5;           // the last failed deliveries that are kept
inline constexpr std::uint32_t kCountedExtensions = 255;  // extensions of one lease that are counted
// These bound the failed deliveries before the last one, which the record describes. Longer texts are cut.
inline constexpr std::size_t kAttemptReasonBytes = 1024;
inline constexpr std::size_t kAttemptStackTraceBytes = 4096;
inline constexpr std::size_t kAttemptNestedErrors = 4;  // the first ones
inline constexpr std::size_t kAttemptPartialOutputBytes = 1024;

// These hold for triage. The newest notes and audit entries are kept, and the others are counted.
inline constexpr std::size_t kActorBytes = 128;  // the name of an actor or an assignee
inline constexpr std::size_t kNoteBytes = 4096;  // a note is not empty
inline constexpr std::size_t kTriageNotes = 32;
inline constexpr std::size_t kAuditEntries = 32;

// These hold for finding dead letters.
inline constexpr std::size_t kFilterIds = 1'000;          // ids in a filter, and just as many seqs
inline constexpr std::size_t kFilterAttributes = 8;       // attributes in a filter
inline constexpr std::size_t kSearchedValueBytes = 256;   // bytes of an attribute's value that are compared
inline constexpr std::size_t kFilterBodyBytes = 4096;     // the part that is looked for in bodies
inline constexpr std::size_t kFindQueues = 1'000;         // queues that one search names
inline constexpr std::size_t kListExamined = 10'000;      // records that a call looks at for one page
inline constexpr std::size_t kScannedBytes = 64 << 20;    // messages read for one page, after the first one
inline constexpr std::size_t kGroupExamined = 1'000'000;  // records read to group filtered dead letters
inline constexpr std::size_t kRedactedAttributes = 256;   // names in one Redaction

// Each queue keeps this much of its statistics of dead letters over time.
inline constexpr std::size_t kArrivalDays = 90;
inline constexpr std::size_t kArrivalHours = kArrivalDays * 24;
// This many categories are counted one by one within an hour or day. All others are counted together.
inline constexpr std::size_t kArrivalCategories = 64;

// EngineOptions::free_space_reserve, unless it is 0, is at least this many times write_buffer_bytes.
inline constexpr std::uint64_t kReserveWriteBuffers = 4;

// At most this many events are kept for a slow subscriber.
inline constexpr std::size_t kEventBuffer = 65'536;

// These hold for redrive tasks.
inline constexpr std::uint32_t kRedriveRate = 1'000'000;  // messages a second
inline constexpr std::size_t kPatchBytes = 65536;
// A patch may take this many steps on one body, about a tenth of a second. A path costs steps at each object
// on its way: 8 for each member, and one for each byte of the name that is looked for, since the members are
// compared one after another. An array in which the path ends costs 8 for each element, since the elements
// may have to move.
inline constexpr std::size_t kPatchSteps = 1 << 26;
inline constexpr std::size_t kRunningTasks = 100;  // tasks that run at a time
// This many tasks are remembered after their end. After that, the answers to repeated calls are remembered
// for kRequestWindow.
inline constexpr std::size_t kFinishedTasks = 100;
inline constexpr std::uint32_t kCanary = 1'000;
inline constexpr std::size_t kDryRunSample = 10;
// The messages that a dry run shows before and after an edit have at most this many bytes together.
inline constexpr std::size_t kDryRunBytes = 1 << 20;
inline constexpr std::uint32_t kAutoRedriveMax = 4096;
inline constexpr std::size_t kAutoRedriveCategories = 64;
inline constexpr Duration kAlertWaitMax = std::chrono::hours(24);  // before an alert rule fires or clears

// These bound what the layer of the protocol may have to remember for a connection to a server. The server
// hangs up on a connection that goes past them, with an Abort that names the limit. The option
// max-unfinished-calls of holdfastd limits the unfinished calls of a connection that has shown its token.
inline constexpr std::size_t kUnauthenticatedCalls = 64;  // unfinished calls before it has shown its token
inline constexpr std::size_t kCallCapabilities = 8;       // capabilities that it hands over in one message
inline constexpr std::size_t kCapabilitySteps = 8;  // fields on the way from an answer to a capability in it
inline constexpr std::size_t kUnansweredPushes = 65'536;

// The server's own user and root may have this many connections over a Unix socket beyond max-connections.
inline constexpr std::size_t kOwnerConnections = 8;

// An answer over HTTP with deliveries of at most this size is given however many answers other clients have
// not read. A connection has one answer at a time, so max-connections bounds the memory of these. The size is
// that of the deliveries in the protocol of schema/, with the room that is taken for them.
inline constexpr std::size_t kAssuredAnswerBytes = 64 << 10;

// A chunk has the messages of one queue that share a commit and are stored as one row.
inline constexpr std::size_t kChunkMessages = 128;
inline constexpr std::size_t kChunkBytes = 256 << 10;

}  // namespace holdfast::limits
