// Finding dead letters: filters, pages, groups.
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
#include "holdfast/redaction.h"

namespace holdfast {

// Which dead letters of a queue are meant: those for which everything that is set holds. Texts but `reason`
// are compared whole; "" means those without.
struct DeadLetterFilter {
  std::vector<MessageId> ids = {};            // of messages, or dead letters' own; at most limits::kFilterIds
  std::vector<Seq> seqs = {};                 // at most limits::kFilterIds
  std::optional<Timestamp> died_from = {};    // at or after
  std::optional<Timestamp> died_before = {};  // before
  std::optional<DeathCause> cause = {};
  std::optional<std::string> category = {};
  std::optional<std::string> code = {};
  std::optional<Fingerprint> fingerprint = {};
  std::optional<std::string> source = {};  // the source queue's name
  std::optional<std::string> consumer_version = {};
  std::optional<DeadLetterStatus> status = {};
  std::optional<std::string> assignee = {};
  // A part of the reason; the letters A to Z are like a to z, those beyond ASCII only like themselves.
  std::string reason = {};
  std::optional<std::string> correlation_id = {};    // the value of the attribute `correlation-id`
  std::optional<std::string> workflow_version = {};  // the value of the attribute `workflow-version`
  std::uint32_t min_replays = 0;                     // redriven at least so often
  // Attributes of the message with their values, of which limits::kSearchedValueBytes are compared; at most
  // limits::kFilterAttributes. Found at once by names that the queue searches by
  // (QueueOptions::searched_attributes), as is a correlation id. By others each dead letter that may be meant
  // is read for it. Of history, whose message is gone, only the former are known.
  std::vector<Attribute> attributes = {};
  // A part of the message's body, compared as a reason is: what may be meant is read, body after body. A call
  // reads about limits::kScannedBytes, so its page may be short and say that there is more. History has no
  // body.
  std::string body = {};
  // Also records whose message is not in the dead letter queue any more: discarded, or replayed. Implied by
  // status replayed.
  bool history = false;

  // Nothing is asked, so it means every dead letter.
  bool empty() const;

  friend bool operator==(const DeadLetterFilter&, const DeadLetterFilter&) = default;
};

// A place in the order of dead letters: those whose message is here, then history; each by time of death.
struct DeadLetterCursor {
  bool history = false;
  Timestamp died_at{};
  Seq seq{};

  friend auto operator<=>(const DeadLetterCursor&, const DeadLetterCursor&) = default;

  std::string to_string() const;  // "5c1f9a3d2e0b4.1f": opaque to callers
  static Result<DeadLetterCursor> parse(std::string_view text);
};

DeadLetterCursor cursor_of(const DeadLetter& letter);

struct ListDeadLettersOptions {
  DeadLetterFilter filter = {};
  std::optional<DeadLetterCursor> after = {};  // continue after this one (DeadLetterPage::next)
  std::size_t max = 100;                       // 1..limits::kListPage
  bool bodies = false;  // fill in body and attributes; the page then ends at limits::kBatchBytes of them
  bool newest_first = false;  // live ones still come before history
  Redaction redact = {};
};

struct DeadLetterPage {
  std::vector<DeadLetter> items;         // oldest first
  std::optional<DeadLetterCursor> next;  // set if there may be more: also when the page is not full, since a
                                         // call looks at no more than limits::kListExamined records
  Timestamp time{};  // when it was read, by the engine's time: what ages are to be taken by
};

// A place in a search over several queues, which goes from queue to queue by name.
struct FindCursor {
  std::string queue = {};
  std::optional<DeadLetterCursor> letter = {};  // none: before the queue's first one

  friend bool operator==(const FindCursor&, const FindCursor&) = default;

  std::string to_string() const;  // "orders-dlq@5c1f9a3d2e0b4.1f": opaque to callers
  static Result<FindCursor> parse(std::string_view text);
};

struct FindDeadLettersOptions {
  DeadLetterFilter filter = {};          // names of single letters mean these in whatever queue they are
  std::vector<std::string> queues = {};  // only these, at most limits::kFindQueues; empty: all
  std::optional<FindCursor> after = {};  // continue there (FoundDeadLetters::next)
  std::size_t max = 100;                 // 1..limits::kListPage
  bool bodies = false;                   // as ListDeadLettersOptions
  Redaction redact = {};
};

struct FoundDeadLetter {
  std::string queue;  // where it lies
  DeadLetter letter;

  friend bool operator==(const FoundDeadLetter&, const FoundDeadLetter&) = default;
};

struct FoundDeadLetters {
  std::vector<FoundDeadLetter> items;  // by name of their queue, then as list_dead_letters
  std::optional<FindCursor> next;      // set if there may be more: as DeadLetterPage::next
  // The queues of this page of which the index does not have all that was asked, so that their dead letters
  // were read one by one.
  std::vector<std::string> scanned;
  Timestamp time{};  // as DeadLetterPage::time
};

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

// "fingerprint", "category", ...
std::string_view to_string(DeadLetterGrouping grouping);

struct GroupDeadLettersOptions {
  DeadLetterGrouping by = DeadLetterGrouping::kFingerprint;
  DeadLetterFilter filter = {};
  std::size_t max = 100;  // 1..limits::kListPage: the largest groups
  Redaction redact = {};
};

struct DeadLetterGroup {
  std::string value;  // what its members have in common, as text
  std::uint64_t count = 0;
  Timestamp first_died_at{};
  Timestamp last_died_at{};
  DeadLetter sample;  // its newest, without body

  friend bool operator==(const DeadLetterGroup&, const DeadLetterGroup&) = default;
};

struct DeadLetterGroups {
  std::vector<DeadLetterGroup> groups;  // the largest first
  std::uint64_t left_out = 0;           // how many groups did not fit into `max`
  std::uint64_t total = 0;              // dead letters in all groups
  // False: only the first limits::kGroupExamined records that may match were read. Only where the filter has
  // ids, a part of a reason, or history: all else is counted in the index.
  bool complete = true;

  friend bool operator==(const DeadLetterGroups&, const DeadLetterGroups&) = default;
};

}  // namespace holdfast
