// Rows of the store: each keeps every field, the bytes of a definition stay as they are, and a row that does
// not decode is refused.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "engine/base/options/queue_option_table.h"
#include "engine/codec/dead_letters/dead_letter_filter.h"
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/dead_letters/stored_record.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/encoding/tagged.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/codec/rows/delivery_row.h"
#include "engine/codec/rows/journal_row.h"
#include "engine/codec/rows/redrive_task.h"
#include "holdfast/limits.h"
#include "tests/client/random_options.h"
#include "tests/support/sample_options.h"
#include "tests/support/sample_task.h"

namespace holdfast {
namespace {

Entry random_entry(std::mt19937_64& random) {
  Entry entry;
  entry.state = static_cast<EntryState>(random() % 6);
  if (entry.state == EntryState::kDone) return entry;
  entry.bytes = static_cast<std::uint32_t>(random() % 3);
  if (entry.state == EntryState::kFresh && random() % 2 == 0) return entry;
  entry.due = Timestamp(Duration(random() % 1000));
  entry.lease = LeaseId{random()};
  entry.deliveries = static_cast<std::uint32_t>(1 + random() % 200);
  if (random() % 2 == 0) {
    entry.first_failed_at = Timestamp(Duration(1 + random() % 1000));
    entry.last_failed_at = Timestamp(Duration(2000));
  }
  entry.prefetched = random() % 2 == 0;
  if (entry.state == EntryState::kLeased && random() % 2 == 0)
    entry.renewal_ms = static_cast<std::uint32_t>(1 + random() % 1000);
  entry.expired = random() % 2 == 0;
  entry.overflowed = random() % 2 == 0;
  entry.to_tail = entry.state == EntryState::kWaiting && random() % 2 == 0;
  if (random() % 2 == 0) entry.consumer = std::make_shared<const Consumer>(Consumer{"one", "2.1"});
  if (random() % 2 == 0) {
    entry.attempts = std::make_shared<const AttemptNotes>(
        AttemptNotes{{{.failed_at = Timestamp(Duration(random() % 9)),
                       .end = AttemptEnd::kReleased,
                       .extended = static_cast<std::uint8_t>(random() % 3),
                       .held_ms = static_cast<std::uint32_t>(random() % 3 * 1000),
                       .consumer = {"one", std::to_string(random() % 3)}},
                      {.failed_at = Timestamp(Duration(random() % 9))}},
                     static_cast<std::uint32_t>(random() % 3),
                     Seq{random() % 2}});
  }
  if (random() % 2 == 0) {
    entry.held_ms = static_cast<std::uint32_t>(random() % 100'000);
    entry.extended = static_cast<std::uint8_t>(random() % 256);
    entry.set_described(static_cast<unsigned>(random() % 512));
  }
  return entry;
}

void expect_same(const Entry& a, const Entry& b) {
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.due, b.due);
  EXPECT_EQ(a.lease, b.lease);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.to_tail, b.to_tail);
  EXPECT_EQ(a.deliveries, b.deliveries);
  EXPECT_EQ(a.prefetched, b.prefetched);
  EXPECT_EQ(a.renewal_ms, b.renewal_ms);
  EXPECT_EQ(a.expired, b.expired);
  EXPECT_EQ(a.overflowed, b.overflowed);
  EXPECT_EQ(a.first_failed_at, b.first_failed_at);
  EXPECT_EQ(a.last_failed_at, b.last_failed_at);
  EXPECT_EQ(a.held_ms, b.held_ms);
  EXPECT_EQ(a.extended, b.extended);
  EXPECT_EQ(a.described, b.described);
  ASSERT_EQ(a.attempts == nullptr, b.attempts == nullptr);
  if (a.attempts) {
    EXPECT_EQ(*a.attempts, *b.attempts);
  }
  ASSERT_EQ(a.consumer == nullptr, b.consumer == nullptr);
  if (a.consumer) {
    EXPECT_EQ(*a.consumer, *b.consumer);
  }
}

ChunkState random_chunk(std::mt19937_64& random) {
  ChunkState chunk;
  chunk.dead_letters = random() % 2 == 0;
  chunk.replayed = !chunk.dead_letters && random() % 2 == 0;
  const std::size_t count = 1 + random() % limits::kChunkMessages;
  while (chunk.entries.size() < count) {
    const Entry entry = random_entry(random);
    const std::size_t run = 1 + random() % 10;
    for (std::size_t i = 0; i < run && chunk.entries.size() < count; ++i) chunk.entries.push_back(entry);
  }
  return chunk;
}

TEST(DeliveryRow, KeepsEveryEntry) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const ChunkState chunk = random_chunk(random);
    std::string row;
    encode_delivery_row(chunk, row);
    const auto decoded = decode_delivery_row(row);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->dead_letters, chunk.dead_letters);
    EXPECT_EQ(decoded->replayed, chunk.replayed);
    ASSERT_EQ(decoded->entries.size(), chunk.entries.size());
    std::uint32_t done = 0;
    std::uint32_t ready = 0;
    for (std::size_t i = 0; i < chunk.entries.size(); ++i) {
      expect_same(chunk.entries[i], decoded->entries[i]);
      done += chunk.entries[i].state == EntryState::kDone ? 1 : 0;
      ready += chunk.entries[i].state == EntryState::kReady ? 1 : 0;
    }
    EXPECT_EQ(decoded->done, done);
    EXPECT_EQ(decoded->ready, ready);
    for (std::size_t cut = 0; cut < row.size(); ++cut) {
      const auto damaged = decode_delivery_row(std::string_view(row).substr(0, cut));
      ASSERT_FALSE(damaged.has_value());
      EXPECT_EQ(damaged.error().code, ErrorCode::kCorruption);
    }
  }
}

DeadLetterRow full_dead_letter_row() {
  DeadLetterRow row;
  row.chunk_index = 127;
  row.id.bytes[0] = 7;
  FailureRecord& record = row.record;
  record.message_id.bytes[15] = 9;
  record.source_queue_id = QueueId{4};
  record.source_queue = "orders";
  record.source_seq = Seq{1U << 31};
  record.sent_at = Timestamp(Duration(1));
  record.cause = DeathCause::kMaxDeliveries;
  record.category = "validation";
  record.reason = std::string("with a \0 byte", 13);
  record.code = "E42";
  record.stack_trace = "a\nb";
  record.deliveries = 3;
  record.replays = 2;
  record.first_failed_at = Timestamp(Duration(2));
  record.last_failed_at = Timestamp(Duration(3));
  record.died_at = Timestamp(Duration(4));
  record.consumer = {"host-1", "2.1"};
  record.correlation_id = "c-17";
  record.group = "g";
  record.workflow_version = "7";
  record.searched = {{"customer", "4711"}, {"order", ""}};
  record.visits = 6;
  record.attempts = {{{.failed_at = Timestamp(Duration(5)),
                       .end = AttemptEnd::kReleased,
                       .consumer = {"host-1", "2.1"},
                       .held = std::chrono::milliseconds(1500),
                       .extended = 2,
                       .failure = {.category = "timeout",
                                   .reason = std::string("\0", 1),
                                   .code = "E9",
                                   .stack_trace = "a\nb",
                                   .causes = {{"", "inner"}},
                                   .partial_output = "half"}},
                      {Timestamp(Duration(6)), AttemptEnd::kLeaseExpired, {"host-1", "2.1"}},
                      {Timestamp(Duration(7)), AttemptEnd::kRejected, {}}},
                     11};
  record.causes = {{"E1", "outer"}, {"", ""}};
  record.partial_output = std::string("\0\xff", 2);
  record.fingerprint = Fingerprint{0xfedcba9876543210};
  record.first_death = {.cause = DeathCause::kOverflow,
                        .category = "c",
                        .reason = std::string("\0r", 2),
                        .code = "E1",
                        .source_queue = "q",
                        .died_at = Timestamp(Duration(3)),
                        .fingerprint = Fingerprint{1}};
  row.triage = {.status = DeadLetterStatus::kFixed,
                .status_since = Timestamp(Duration(8)),
                .assignee = "ann",
                .notes = {{Timestamp(Duration(9)), "ann", "looked"}, {Timestamp(Duration(10)), "", ""}},
                .notes_dropped = 12,
                .audit = {{Timestamp(Duration(9)), "ann", "status new -> fixed"}},
                .audit_dropped = 13};
  return row;
}

TEST(DeadLetterRow, KeepsEveryField) {
  const DeadLetterRow row = full_dead_letter_row();
  const std::string bytes = encode_dead_letter_row(row);
  const auto decoded = decode_dead_letter_row(bytes);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->chunk_index, 127U);
  EXPECT_EQ(decoded->id, row.id);
  EXPECT_EQ(decoded->record, row.record);
  EXPECT_EQ(decoded->triage, row.triage);
  EXPECT_FALSE(decode_dead_letter_row(std::string_view(bytes).substr(0, bytes.size() - 1)).has_value());
}

// Each attempt beyond those that are kept takes ten bytes of the row, but repeats, once it is decoded, a
// consumer that may be as long as the row.
TEST(DeadLetterRow, OfMoreAttemptsThanAreKeptIsRefused) {
  DeadLetterRow row = full_dead_letter_row();
  row.record.attempts.kept.assign(limits::kFirstAttempts + limits::kLastAttempts, {});
  EXPECT_TRUE(decode_dead_letter_row(encode_dead_letter_row(row)).has_value());
  row.record.attempts.kept.emplace_back();
  EXPECT_FALSE(decode_dead_letter_row(encode_dead_letter_row(row)).has_value());
}

TEST(StoredRecord, GoesOnWithAnotherTriage) {
  DeadLetterRow row = full_dead_letter_row();
  for (const bool had_original : {false, true}) {
    for (const bool bare : {false, true}) {
      row.has_original = had_original;
      if (bare) row.triage = {};
      const std::string bytes = encode_dead_letter_row(row);
      const auto stored = StoredRecord::decode(bytes);
      ASSERT_TRUE(stored.has_value());
      EXPECT_EQ((*stored)->row(), bytes);
      EXPECT_EQ((*stored)->chunk_index(), row.chunk_index);
      EXPECT_EQ((*stored)->triage(), row.triage);
      EXPECT_EQ((*stored)->has_original(), had_original);
      EXPECT_EQ((*stored)->indexed(), indexed_fields(row));

      DeadLetterRow history = row;
      history.chunk_index = 0;
      history.has_original = true;
      history.replayed_by = TaskId{17};
      history.triage.status = DeadLetterStatus::kReplayed;
      history.triage.audit.push_back({Timestamp(Duration(14)), "bob", "redriven to orders"});
      const std::string bytes_of_history = (*stored)->history_row(history.triage, true, TaskId{17});
      EXPECT_EQ(bytes_of_history, encode_dead_letter_row(history));
      EXPECT_EQ(replayed_by_of_dead_letter_row(bytes_of_history), TaskId{17});
      EXPECT_EQ(replayed_by_of_dead_letter_row(bytes), TaskId{});
    }
  }
  const std::string bytes = encode_dead_letter_row(row);
  EXPECT_FALSE(StoredRecord::decode(std::string_view(bytes).substr(0, bytes.size() - 1)).has_value());
  EXPECT_FALSE(StoredRecord::decode({}).has_value());
}

TEST(CatalogRows, ADefinitionKeepsEveryOption) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Random random(seed);
    const QueueDefinition definition{.name = "orders",
                                     .created_at = Timestamp(Duration(5)),
                                     .options = testing::random_options(random),
                                     .paused = {.deliveries = random.one_in(2), .sends = random.one_in(2)}};
    const auto decoded = decode_queue_definition(encode_queue_definition(definition));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->name, "orders");
    EXPECT_EQ(decoded->created_at, definition.created_at);
    EXPECT_EQ(decoded->options, definition.options);
    EXPECT_EQ(decoded->paused, definition.paused);
  }
}

template <class T>
void expect_stored(const QueueOption<T>& option, T value) {
  QueueDefinition definition;
  definition.name = "orders";
  option.place(definition.options) = value;
  const auto decoded = decode_queue_definition(encode_queue_definition(definition));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->options, definition.options) << option.name;
}

// A 0 is not stored, and what is not stored means the default. An option that may be 0 and has another
// default therefore needs stored_as_one_more() in its row.
TEST(CatalogRows, AnOptionThatIsZeroIsStored) {
  for_each_option([]<class T>(const QueueOption<T>& option) {
    if constexpr (OptionEnum<T>) {
      for (const auto& [value, word] : option_table::kWords<T>) expect_stored(option, value);
    } else if constexpr (BoundedOption<T>) {
      if (!option.bounds || option.bounds->min <= T(0)) expect_stored(option, T(0));
    } else if constexpr (std::is_same_v<T, bool>) {
      expect_stored(option, false);
    }
  });
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

// Directories on disk have these bytes already: if a tag changed, it would be read as another option. A new
// option of the sample adds bytes.
TEST(CatalogRows, ADefinitionIsStoredInTheseBytes) {
  const QueueOptions options = testing::sample_options();
  for_each_option([&](const auto& option) {
    EXPECT_NE(option.place(options), option.place(QueueOptions{})) << "the sample has no " << option.name;
  });
  const std::string row = encode_queue_definition({.name = "all",
                                                   .created_at = Timestamp(Duration(5)),
                                                   .options = options,
                                                   .paused = {.deliveries = true, .sends = true}});
  EXPECT_EQ(hex(row),
            "0103616c6c0201050301070404646561640504c0a8a5040601020701010803c0843d0901022f01010a01020b0580c8ce"
            "b40d0c01080d04808ece1c140301617814030162791701011804c1cc8d081501031601702c08637573746f6d65722c05"
            "6f726465722d0580e88887432e010110067061726b6564112080c8ceb40d0a010774696d656f7574809c9c3980909de9"
            "1a0480c0ddeec102021250010101020103010480d4d4ab010180c8ceb40d0180909de91a02808ece1c00808ece1c0100"
            "0101809c9c39010000808ece1c01000103808ece1c01000180a4a7da06808ece1c0180aaea5500808ece1c13050a808e"
            "ce1c1901031a03c0843d1b05808c8d9e021c0980808080808080e83f2901011d01001d03c0843d1d0580c6868f011e05"
            "80909de91a220580d8eb9d282301012402e8072501022601052703808040280280082a0288272b0580a0bad2351f0705"
            "656d707479001f0d047465616d0762696c6c696e67200101210101");
}

TEST(CatalogRows, ACheckpointKeepsEveryField) {
  std::string row;
  const QueueCheckpoint checkpoint{.next_seq = Seq{1U << 20},
                                   .cursor = Seq{3},
                                   .fresh = 4,
                                   .dead = 5,
                                   .totals = {1, 2, 3, 4, 5, 6, 7},
                                   .next_ticket = Ticket{8},
                                   .scheduled = 9,
                                   .next_expiry = Timestamp(Duration(10)),
                                   .journal = {{.number = 7,
                                                .entries = 300,
                                                .started = Timestamp(Duration(11)),
                                                .newest = Timestamp(Duration(12))},
                                               {.number = 8, .entries = 1}},
                                   .written_at = Timestamp(Duration(13)),
                                   .alerts = {{.rule = "oldest",
                                               .severity = AlertSeverity::kCritical,
                                               .since = Timestamp(Duration(14)),
                                               .value = 15,
                                               .threshold = 16,
                                               .dead_letter = Seq{17}},
                                              {.rule = "depth", .since = Timestamp(Duration(18))}},
                                   .braked_until = Timestamp(Duration(19))};
  encode_queue_checkpoint(checkpoint, row);
  const auto decoded = decode_queue_checkpoint(row);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->next_seq, checkpoint.next_seq);
  EXPECT_EQ(decoded->cursor, checkpoint.cursor);
  EXPECT_EQ(decoded->fresh, 4U);
  EXPECT_EQ(decoded->dead, 5U);
  EXPECT_EQ(decoded->totals, checkpoint.totals);
  EXPECT_EQ(decoded->next_ticket, Ticket{8});
  EXPECT_EQ(decoded->scheduled, 9U);
  EXPECT_EQ(decoded->next_expiry, Timestamp(Duration(10)));
  EXPECT_EQ(decoded->journal, checkpoint.journal);
  EXPECT_EQ(decoded->written_at, checkpoint.written_at);
  EXPECT_EQ(decoded->alerts, checkpoint.alerts);
  EXPECT_EQ(decoded->braked_until, checkpoint.braked_until);
  EXPECT_FALSE(decode_queue_checkpoint(std::string_view(row).substr(0, 4)).has_value());
}

TEST(JournalRow, KeepsEveryField) {
  const HistoryStep step{.at = Timestamp(Duration(1)),
                         .kind = StepKind::kDeadLettered,
                         .queue = "orders",
                         .to = "dlq",
                         .seq = Seq{3},
                         .deliveries = 4,
                         .consumer = {"one", "2.1"},
                         .until = Timestamp(Duration(5)),
                         .cause = DeathCause::kRejected,
                         .category = "c",
                         .reason = "r"};
  const std::string row = encode_journal_row(step);
  const auto decoded = decode_journal_row(row);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, step);
  EXPECT_FALSE(decode_journal_row(std::string_view(row).substr(0, row.size() - 1)).has_value());
  EXPECT_FALSE(decode_journal_row(encode_journal_row({.kind = StepKind{17}})).has_value());
}

TEST(RedriveTaskRow, ComesThrough) {
  const RedriveTask task = testing::sample_redrive_task();
  const std::string row = encode_redrive_task(task);
  const auto decoded = decode_redrive_task(row);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(encode_redrive_task(*decoded), row);
  EXPECT_EQ(decoded->options, task.options);
  EXPECT_EQ(decoded->state, task.state);
  EXPECT_EQ(decoded->end, task.end);
  EXPECT_EQ(decoded->finished_at, task.finished_at);
  EXPECT_EQ(decoded->canaries, task.canaries);
  EXPECT_EQ(decoded->canaries_lost, task.canaries_lost);
  EXPECT_FALSE(decode_redrive_task(std::string_view(row).substr(0, row.size() - 1)).has_value());
}

// The filter's field of a task, and the values that a filter has for its fields.
constexpr std::uint32_t kFilterTag = 4;

std::string task_with_filter(const std::string& filter) {
  std::string row = encode_redrive_task({});
  tagged::put_text(row, kFilterTag, filter);
  return row;
}

// A condition that was skipped would make the redrive move more.
TEST(RedriveTaskRow, IsRefusedIfItsFilterDoesNotDecode) {
  const std::string filter = encode_dead_letter_filter(testing::sample_redrive_task().options.filter);
  EXPECT_TRUE(decode_redrive_task(task_with_filter(filter)).has_value());
  EXPECT_FALSE(decode_redrive_task(task_with_filter(filter.substr(0, filter.size() - 1))).has_value());
  std::string newer = filter;
  tagged::put_text(newer, 99, "=a later version's condition");
  EXPECT_FALSE(decode_redrive_task(task_with_filter(newer)).has_value());
  for (const DeadLetterFilter& wrong :
       {DeadLetterFilter{.cause = DeathCause{0}}, DeadLetterFilter{.cause = DeathCause{7}},
        DeadLetterFilter{.status = DeadLetterStatus{6}}})
    EXPECT_FALSE(decode_redrive_task(task_with_filter(encode_dead_letter_filter(wrong))).has_value());
  // An id of 15 bytes, a seq of 7, a number without its mark, and more than a number.
  for (const auto& [tag, value] :
       {std::pair(1U, std::string(15, 'i')), std::pair(2U, "=" + std::string(7, 's')),
        std::pair(8U, std::string(9, 'f')), std::pair(16U, std::string("\1\1"))}) {
    std::string damaged;
    tagged::put_text(damaged, tag, value);
    EXPECT_FALSE(decode_redrive_task(task_with_filter(damaged)).has_value()) << "tag " << tag;
  }
}

TEST(RedriveTaskRow, IsRefusedWithValuesThatItsVersionDoesNotHave) {
  for (const TaskState state : {TaskState{0}, TaskState{7}}) {
    std::string row;
    tagged::put_text(row, 23, std::string(1, static_cast<char>(state)));
    EXPECT_FALSE(decode_redrive_task(row).has_value()) << static_cast<int>(state);
  }
  EXPECT_FALSE(
      decode_redrive_task(encode_redrive_task({.options = {.action = RedriveAction{2}}})).has_value());
  for (const RedriveValue value : {RedriveValue{0}, RedriveValue{4}}) {
    const RedriveTask task{.options = {.edit = {.value_attributes = {{"a", value}}}}};
    EXPECT_FALSE(decode_redrive_task(encode_redrive_task(task)).has_value()) << static_cast<int>(value);
  }
}

// A number, an attribute, a seq or a condition of the filter that is read as something else would move other
// messages than were asked for.
TEST(RedriveTaskRow, WithAMalformedValueDoesNotDecode) {
  const auto with = [](std::uint32_t tag, std::string_view value) {
    std::string row = encode_redrive_task({});
    tagged::put_text(row, tag, value);
    return row;
  };
  const auto in_filter = [&](std::uint32_t tag, std::string_view value) {
    std::string filter;
    tagged::put_text(filter, tag, value);
    return with(4, filter);
  };
  EXPECT_EQ(decode_redrive_task(with(13, "\x04"))->options.max, 4U);
  EXPECT_FALSE(decode_redrive_task(with(13, "\x84")).has_value()) << "max breaks off";
  EXPECT_FALSE(decode_redrive_task(with(13, std::string(9, '\xff') + '\x02')).has_value())
      << "max is too large";
  EXPECT_FALSE(decode_redrive_task(with(26, "\x84")).has_value()) << "the start breaks off";
  EXPECT_FALSE(decode_redrive_task(with(37, "\x84")).has_value()) << "a count breaks off";
  EXPECT_FALSE(decode_redrive_task(with(32, "\x01\x84")).has_value()) << "the second canary breaks off";
  EXPECT_FALSE(decode_redrive_task(with(19, "\x02x")).has_value()) << "an attribute's name breaks off";
  EXPECT_EQ(decode_redrive_task(in_filter(16, "\x03"))->options.filter.min_replays, 3U);
  EXPECT_FALSE(decode_redrive_task(in_filter(16, "\x84")).has_value()) << "min_replays breaks off";
  EXPECT_FALSE(decode_redrive_task(in_filter(11, "=\x01")).has_value()) << "the status breaks off";
  EXPECT_FALSE(decode_redrive_task(in_filter(1, "short")).has_value()) << "an id breaks off";
  EXPECT_FALSE(decode_redrive_task(in_filter(17, "\x02x")).has_value()) << "an attribute's name breaks off";
  EXPECT_FALSE(decode_redrive_task(with(4, "\x10")).has_value()) << "the filter breaks off";
}

TEST(Keys, SortAsTheirNumbersDo) {
  EXPECT_LT(keys::queue_seq(QueueId{1}, Seq{255}), keys::queue_seq(QueueId{1}, Seq{256}));
  EXPECT_LT(keys::queue_seq(QueueId{1}, Seq{~std::uint64_t{0}}), keys::queue_end(QueueId{1}));
  EXPECT_LT(keys::queue_end(QueueId{1}), keys::queue_seq(QueueId{2}, Seq{1}));
  const auto parsed = keys::parse_queue_seq(keys::queue_seq(QueueId{300}, Seq{70000}));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->queue, QueueId{300});
  EXPECT_EQ(parsed->seq, Seq{70000});
  EXPECT_FALSE(keys::parse_queue_seq("short").has_value());

  MessageId message;
  message.bytes[3] = std::uint8_t{9};
  const auto step = keys::parse_journal(keys::journal(QueueId{300}, 7, message, 8));
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->queue, QueueId{300});
  EXPECT_EQ(step->bucket, 7U);
  EXPECT_EQ(step->message, message);
  EXPECT_EQ(step->order, 8U);
  EXPECT_FALSE(keys::parse_journal("short").has_value());
}

}  // namespace
}  // namespace holdfast
