// Finding dead letters: filters, and what lists, searches and groupings return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/message.h"

namespace holdfast {

// Selects dead letters of a queue: those for which everything that is set holds. A text is compared as a
// whole, and "" selects dead letters that do not have it; `reason` and `body` look for a part instead.
struct DeadLetterFilter {
  // `ids` names messages or dead letters; at most limits::kFilterIds. A dead letter is selected by `ids` or
  // by `seqs`, if any of the two is set.
  std::vector<MessageId> ids = {};
  std::vector<Seq> seqs = {};                 // places in the dead letter queue; at most limits::kFilterIds
  std::optional<Timestamp> died_from = {};    // died at this time or later
  std::optional<Timestamp> died_before = {};  // died before this time
  std::optional<DeathCause> cause = {};
  std::optional<std::string> category = {};
  std::optional<std::string> code = {};
  std::optional<Fingerprint> fingerprint = {};
  std::optional<std::string> source = {};  // the source queue's name
  std::optional<std::string> consumer_version = {};
  std::optional<DeadLetterStatus> status = {};
  std::optional<std::string> assignee = {};
  // The reason contains this text. Upper and lower case are the same for A to Z, and differ beyond ASCII.
  std::string reason = {};
  std::optional<std::string> correlation_id = {};    // the value of the attribute `correlation-id`
  std::optional<std::string> workflow_version = {};  // the value of the attribute `workflow-version`
  std::uint32_t min_replays = 0;                     // redriven this often or more often
  // The message has these attributes, with these values; at most limits::kFilterAttributes. The first
  // limits::kSearchedValueBytes of a value are compared. Dead letters are found at once by attributes that
  // the queue searches by (QueueOptions::dead_letters) and by the correlation id. For other attributes the
  // call reads each dead letter that the rest of the filter selects. History, whose message is gone, is found
  // only by attributes that the queue searches by.
  std::vector<Attribute> attributes = {};
  // The message's body contains this text, at most limits::kFilterBodyBytes; case counts as in `reason`. The
  // call reads the body of each dead letter that the rest of the filter selects. It reads about
  // limits::kScannedBytes, so a page may be short and say that there is more. History has no body.
  std::string body = {};
  // True selects history too: records of messages that were discarded or replayed and are not in the dead
  // letter queue any more. The status kReplayed implies it.
  bool history = false;

  // Returns whether nothing is set, so that the filter selects every dead letter.
  bool empty() const;

  friend bool operator==(const DeadLetterFilter&, const DeadLetterFilter&) = default;
};

// A cursor is a place in the order of dead letters: first those whose message is in the queue, then history,
// each by time of death.
struct DeadLetterCursor {
  bool history = false;
  Timestamp died_at{};
  Seq seq{};

  friend auto operator<=>(const DeadLetterCursor&, const DeadLetterCursor&) = default;

  // Returns the cursor as text, for example "5c1f9a3d2e0b4.1f". Callers hand the text back and do not
  // interpret it.
  std::string to_string() const;
  static Result<DeadLetterCursor> parse(std::string_view text);
};

// Returns the place of a dead letter.
DeadLetterCursor cursor_of(const DeadLetter& letter);

struct ListDeadLettersOptions {
  DeadLetterFilter filter = {};
  std::optional<DeadLetterCursor> after = {};  // continue after this place (DeadLetterPage::next)
  std::size_t max = 100;                       // 1..limits::kListPage
  bool bodies = false;  // fill in bodies and attributes; a page then ends at limits::kBatchBytes of them
  bool newest_first = false;  // the latest death first; history still comes last
  Redaction redact = {};
};

struct DeadLetterPage {
  std::vector<DeadLetter> items;  // by time of death, in the order that the call asked for
  // The list continues after this place. It is set if there may be more, also when the page is not full: a
  // call looks at no more than limits::kListExamined records.
  std::optional<DeadLetterCursor> next;
  Timestamp time{};  // the engine's time when the page was read; measure ages by it
};

// A FindCursor is a place in a search over several queues. Such a search goes from queue to queue by name.
struct FindCursor {
  std::string queue = {};
  std::optional<DeadLetterCursor> letter = {};  // empty: before the first dead letter of the queue

  friend bool operator==(const FindCursor&, const FindCursor&) = default;

  // Returns the cursor as text, for example "orders-dlq@5c1f9a3d2e0b4.1f". Callers hand it back and do not
  // interpret it.
  std::string to_string() const;
  static Result<FindCursor> parse(std::string_view text);
};

struct FindDeadLettersOptions {
  DeadLetterFilter filter = {};          // ids and seqs select dead letters of every queue that is searched
  std::vector<std::string> queues = {};  // the queues to search, at most limits::kFindQueues; empty: all
  std::optional<FindCursor> after = {};  // continue after this place (FoundDeadLetters::next)
  std::size_t max = 100;                 // 1..limits::kListPage
  bool bodies = false;  // fill in bodies and attributes; a page then ends at limits::kBatchBytes of them
  Redaction redact = {};
};

struct FoundDeadLetter {
  std::string queue;  // the dead letter queue that it is in
  DeadLetter letter;

  friend bool operator==(const FoundDeadLetter&, const FoundDeadLetter&) = default;
};

struct FoundDeadLetters {
  std::vector<FoundDeadLetter> items;  // by name of their queue, and within a queue as list_dead_letters
  std::optional<FindCursor> next;      // where to continue; set if there may be more, also on a short page
  // `scanned` names queues of this page whose dead letters were read one by one, since their index does not
  // have all that the filter asks for.
  std::vector<std::string> scanned;
  Timestamp time{};  // the engine's time when the page was read; measure ages by it
};

// A grouping says what the dead letters of a group have in common.
enum class DeadLetterGrouping : std::uint8_t {
  kFingerprint = 1,
  kCategory = 2,
  kCode = 3,
  kCause = 4,
  kStatus = 5,
  kAssignee = 6,
  kSource = 7,
  kConsumerVersion = 8,
};

// Returns the name of the grouping: "fingerprint", "category" and so on.
std::string_view to_string(DeadLetterGrouping grouping);

struct GroupDeadLettersOptions {
  DeadLetterGrouping by = DeadLetterGrouping::kFingerprint;
  DeadLetterFilter filter = {};
  std::size_t max = 100;  // how many of the largest groups to return: 1..limits::kListPage
  Redaction redact = {};
};

struct DeadLetterGroup {
  std::string value;  // what its dead letters have in common, as text
  std::uint64_t count = 0;
  Timestamp first_died_at{};
  Timestamp last_died_at{};
  DeadLetter sample;  // its newest dead letter, without body

  friend bool operator==(const DeadLetterGroup&, const DeadLetterGroup&) = default;
};

struct DeadLetterGroups {
  std::vector<DeadLetterGroup> groups;  // the largest group first
  std::uint64_t left_out = 0;           // how many groups there are beyond `max`
  std::uint64_t total = 0;              // the dead letters of all groups, also of those left out
  // False: the numbers are incomplete, since the call read only the first limits::kGroupExamined records that
  // may match. This happens only with filters that the index cannot count, such as ids, a part of a reason,
  // or history.
  bool complete = true;

  friend bool operator==(const DeadLetterGroups&, const DeadLetterGroups&) = default;
};

// --- changing them: triage, discarding, import ---

// A selection says which dead letters a bulk call changes, and who asks for it. A message that dies after the
// call began is not touched.
struct DeadLetterSelection {
  DeadLetterFilter filter = {};
  // `all` must be true if the filter is empty, which means every dead letter. Otherwise an empty filter is
  // refused (kInvalidArgument), so that nobody changes everything by accident.
  bool all = false;
  std::string actor = {};  // who asks, for the audit; at most limits::kActorBytes
  bool dry_run = false;    // true: nothing is changed, and the answer counts what would be

  friend bool operator==(const DeadLetterSelection&, const DeadLetterSelection&) = default;
};

// DeadLetterChanges says what to change. All that is set is applied to a dead letter in one atomic write.
struct DeadLetterChanges {
  std::optional<DeadLetterStatus> status = {};  // the new status, where is_legal_step() allows it
  std::optional<std::string> assignee = {};     // "" for nobody; at most limits::kActorBytes
  std::optional<std::string> note = {};         // a note to add; not empty, at most limits::kNoteBytes

  friend bool operator==(const DeadLetterChanges&, const DeadLetterChanges&) = default;
};

// DeadLettersChanged is the answer to a bulk call.
struct DeadLettersChanged {
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;  // dead letters that were so already: nothing was written
  // This many dead letters could not be changed: the step of the status is not legal or, for a discard, a
  // consumer has the dead letter leased.
  std::uint64_t refused = 0;

  friend bool operator==(const DeadLettersChanged&, const DeadLettersChanged&) = default;
};

// DeadLettersImported is the answer to import_dead_letters.
struct DeadLettersImported {
  std::uint64_t imported = 0;
  std::uint64_t duplicates = 0;  // dead letters that are in the queue already, or were redriven from it
  std::uint64_t refused = 0;     // history, which has no message to bring back

  friend bool operator==(const DeadLettersImported&, const DeadLettersImported&) = default;
};

}  // namespace holdfast
