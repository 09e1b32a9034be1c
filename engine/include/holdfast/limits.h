// Every limit, in one table. A value past its limit is refused with kLimitExceeded (sizes, counts)
// or kInvalidArgument (values that make no sense), and the message names the field and the limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast::limits {

// Queue names: letters, digits, '.', '_' and '-'; not empty.
inline constexpr std::size_t kQueueNameBytes = 128;

// One message.
inline constexpr std::size_t kBodyBytes = 1 << 20;      // unless its queue says otherwise
inline constexpr std::size_t kBodyBytesMax = 64 << 20;  // what a queue may say
inline constexpr std::size_t kAttributes = 64;
inline constexpr std::size_t kAttributeNameBytes = 128;      // not empty
inline constexpr std::size_t kAttributeValueBytes = 4096;    // may be empty
inline constexpr std::size_t kAttributesTotalBytes = 65536;  // names and values together
inline constexpr std::size_t kGroupBytes = 128;              // the name of its group; may be empty
inline constexpr std::size_t kDeduplicationIdBytes = 128;    // may be empty

// JSON that is read: the bodies of requests over HTTP, patches and the bodies that they edit, archives.
inline constexpr int kJsonDepth = 256;               // levels of nesting
inline constexpr std::size_t kJsonValues = 1 << 21;  // in one text: a full batch has 2,050,000
inline constexpr std::size_t kJsonMembers = 1'000;   // of one object, except in bodies that are edited

// One call.
inline constexpr std::size_t kBatchEntries = 10'000;  // messages or receipts in one call
inline constexpr std::size_t kBatchBytes = 64 << 20;  // bodies and attributes in one call of several entries
inline constexpr std::size_t kReceiveMax = 10'000;    // messages handed out by one receive
inline constexpr std::size_t kListPage = 1'000;       // dead letters or peeked messages in one page
inline constexpr std::size_t kPeekScan = 10'000;      // messages that one peek looks at

// Archives of dead letters: a line has the body and, of an edited message, the original one in base64, and
// less than a MiB of all else. A longer one is malformed.
inline constexpr std::size_t kArchiveLineBytes = 2 * (kBodyBytesMax / 3 + 1) * 4 + (1 << 20);

// Journals. A journal goes in parts of a sixteenth.
inline constexpr std::uint64_t kJournalEntriesMin = 100;
inline constexpr std::uint64_t kJournalEntriesMax = 100'000'000;
inline constexpr std::size_t kJournalReasonBytes = 256;  // kept of the reason of a death
inline constexpr std::size_t kHistorySteps = 10'000;     // of one message

// Engine::async_call: calls that wait for their turn. More are refused with kOverloaded.
inline constexpr std::size_t kWaitingCalls = 10'000;

// Families of the application's own. Names: as of queues.
inline constexpr std::size_t kApplicationFamilies = 64;
inline constexpr std::size_t kFamilyNameBytes = 128;
inline constexpr std::size_t kApplicationKeyBytes = 1024;  // not empty
inline constexpr std::size_t kApplicationValueBytes = 1 << 20;
inline constexpr std::size_t kScanRows = 10'000;  // in one scan

// Calls with a request id.
inline constexpr std::size_t kRequestIdBytes = 64;
inline constexpr Duration kRequestWindow = std::chrono::minutes(5);  // remembered at least so long

// Times.
inline constexpr Duration kLeaseMin = std::chrono::milliseconds(1);
inline constexpr Duration kLeaseMax = std::chrono::hours(12);
inline constexpr Duration kDelayMax = std::chrono::hours(24 * 365 * 10);
inline constexpr Duration kDeduplicationWindowMin = std::chrono::seconds(1);
inline constexpr Duration kDeduplicationWindowMax = std::chrono::hours(24 * 7);
inline constexpr Duration kPriorityAgingMax = std::chrono::hours(24 * 365);
inline constexpr Duration kKeepMax = std::chrono::hours(24 * 365 * 100);
inline constexpr Duration kWaitMax = std::chrono::hours(1);
// The times in an imported dead letter: from the epoch to the end of the year 9999.
inline constexpr Timestamp kImportedTimeMax =
    std::chrono::sys_days(std::chrono::year(10'000) / std::chrono::January / 1) - Duration(1);

// Queue options.
inline constexpr std::uint32_t kMaxDeliveriesMin = 1;
inline constexpr std::uint32_t kMaxDeliveriesMax = 1'000;
inline constexpr std::uint32_t kPrioritiesMin = 1;
inline constexpr std::uint32_t kPrioritiesMax = 16;
inline constexpr std::size_t kDeadLetterRoutes = 64;
inline constexpr std::size_t kDeadLetterSources = 256;
inline constexpr std::size_t kSearchedAttributes = 8;
inline constexpr std::size_t kRetryStages = 32;
inline constexpr std::size_t kTags = 50;
inline constexpr std::size_t kTagNameBytes = 128;   // not empty
inline constexpr std::size_t kTagValueBytes = 256;  // may be empty

// A queue with grouping: how many ready messages it looks at to find a free group. It remembers these in
// memory (about 200 bytes each). Source: Amazon SQS, which looks through the first 120,000 messages of a FIFO
// queue (Developer Guide, "FIFO queue quotas").
inline constexpr std::size_t kGroupLookahead = 120'000;

// Failure records: longer texts are refused, except the stack trace, of which the last bytes and frames are
// kept, and reason and partial output, which are cut and end in a mark that says so.
inline constexpr std::size_t kCategoryBytes = 128;
inline constexpr std::size_t kErrorCodeBytes = 128;
inline constexpr std::size_t kReasonBytes = 4096;
inline constexpr std::size_t kStackTraceBytes = 16384;
inline constexpr std::size_t kStackTraceFrames = 20;
inline constexpr std::size_t kConsumerBytes = 256;  // a consumer's instance or version
inline constexpr std::size_t kNestedErrors = 16;
inline constexpr std::size_t kNestedErrorBytes = 1024;  // of one, its code and message together
inline constexpr std::size_t kPartialOutputBytes = 16384;
inline constexpr std::size_t kFirstAttempts = 3;  // kept of a message's failed deliveries
inline constexpr std::size_t kLastAttempts = 5;
inline constexpr std::uint32_t kCountedExtensions = 255;  // of one lease; more are not counted
// Of the failed deliveries before the last one, whose description is the record's own: longer texts are cut.
inline constexpr std::size_t kAttemptReasonBytes = 1024;
inline constexpr std::size_t kAttemptStackTraceBytes = 4096;
inline constexpr std::size_t kAttemptNestedErrors = 4;  // the first ones
inline constexpr std::size_t kAttemptPartialOutputBytes = 1024;

// Triage. Of notes and audit entries the newest are kept, and the number of dropped ones.
inline constexpr std::size_t kActorBytes = 128;  // also an assignee
inline constexpr std::size_t kNoteBytes = 4096;  // not empty
inline constexpr std::size_t kTriageNotes = 32;
inline constexpr std::size_t kAuditEntries = 32;

// Finding dead letters.
inline constexpr std::size_t kFilterIds = 1'000;          // ids, and as many seqs
inline constexpr std::size_t kFilterAttributes = 8;       // names with values
inline constexpr std::size_t kSearchedValueBytes = 256;   // of an attribute's value that are compared
inline constexpr std::size_t kFilterBodyBytes = 4096;     // the part that is looked for in bodies
inline constexpr std::size_t kFindQueues = 1'000;         // names in one search
inline constexpr std::size_t kListExamined = 10'000;      // records looked at for one page
inline constexpr std::size_t kScannedBytes = 64 << 20;    // messages read for one page, after the first one
inline constexpr std::size_t kGroupExamined = 1'000'000;  // records looked at for one filtered grouping
inline constexpr std::size_t kRedactedAttributes = 256;   // names in one Redaction

// Statistics of dead letters over time: what is kept of a queue.
inline constexpr std::size_t kArrivalDays = 90;
inline constexpr std::size_t kArrivalHours = kArrivalDays * 24;
inline constexpr std::size_t kArrivalCategories =
    64;  // told apart in an hour or day, the rest are counted as others

// EngineOptions::free_space_reserve, unless it is 0, is at least so many times write_buffer_bytes.
inline constexpr std::uint64_t kReserveWriteBuffers = 4;

// Events kept for a subscriber that is slow.
inline constexpr std::size_t kEventBuffer = 65'536;

// Redrive tasks.
inline constexpr std::uint32_t kRedriveRate = 1'000'000;  // messages a second
inline constexpr std::size_t kPatchBytes = 65536;
// What a patch may take of one body, about a tenth of a second: for each path of an operation 8 steps, and
// one for each byte of the name, for every member of the objects on the way, which are looked at one after
// the other; and 8 for every part of an array that contains the value, where parts make room.
inline constexpr std::size_t kPatchSteps = 1 << 26;
inline constexpr std::size_t kRunningTasks = 100;   // at a time
inline constexpr std::size_t kFinishedTasks = 100;  // remembered after their end; then for kRequestWindow
                                                    // what repetitions of their calls are answered
inline constexpr std::uint32_t kCanary = 1'000;
inline constexpr std::size_t kPreviewSample = 10;
inline constexpr std::size_t kPreviewBytes = 1 << 20;  // messages shown before and after an edit
inline constexpr std::uint32_t kAutoRedriveMax = 4096;
inline constexpr std::size_t kAutoRedriveCategories = 64;
inline constexpr Duration kAlertWaitMax = std::chrono::hours(24);  // before an alert rule fires or clears

// A connection to a server: what the protocol's layer may have to remember of it. One that goes past these is
// hung up on, with an Abort that names the limit. How many calls it may leave unfinished once it has shown
// its token, holdfastd's max-unfinished-calls says.
inline constexpr std::size_t kUnauthenticatedCalls = 64;  // unfinished, before it has shown its token
inline constexpr std::size_t kCallCapabilities = 8;       // handed over in one message
inline constexpr std::size_t kUnansweredPushes = 65'536;

// Connections beyond max-connections, of the server's own user and root over a Unix socket.
inline constexpr std::size_t kOwnerConnections = 8;

// A chunk: the messages of one queue that share a commit, and a row.
inline constexpr std::size_t kChunkMessages = 128;
inline constexpr std::size_t kChunkBytes = 256 << 10;

}  // namespace holdfast::limits
