// These targets read rows of messages and of what became of them.
#include <algorithm>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/dead_letters/failure.h"
#include "engine/codec/dead_letters/stored_record.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/carried.h"
#include "engine/codec/rows/chunk.h"
#include "engine/codec/rows/dedup_row.h"
#include "engine/codec/rows/delivery_row.h"
#include "engine/codec/rows/journal_row.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/codec/rows/request_row.h"
#include "tests/fuzz/samples.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {
namespace {

std::string copy_of(const Chunk& chunk) {
  ChunkBuilder builder(Seq{1}, chunk.kind());
  for (std::uint32_t i = 0; i < chunk.count(); ++i) {
    if (!chunk.holds(i)) {
      builder.add_nothing();
      continue;
    }
    const MessageView message = chunk.message(i);
    builder.add_copy(message, message.lineage);
  }
  return std::move(builder).finish()->bytes();
}

}  // namespace

bool run_chunk(std::string_view input) {
  const auto decode = [](std::string_view bytes) { return Chunk::decode(std::string(bytes)); };
  const auto chunk = decode(input);
  if (!chunk) return false;
  must_come_back(input, decode, [](const auto& copied) { return copy_of(*copied); });
  const auto header = Chunk::decode_header(input);
  require(header && header->count == (*chunk)->count() && header->kind == (*chunk)->kind(),
          "the header says something else");
  require((*chunk)->groups().size() == (*chunk)->count(), "a message without a group");
  for (std::uint32_t i = 0; i < (*chunk)->count(); ++i) {
    if (!(*chunk)->holds(i)) continue;
    const MessageView message = (*chunk)->message(i);
    Message sent{.body = std::string(message.body),
                 .attributes = message.attributes(),
                 .group = std::string(message.group),
                 .priority = message.priority};
    ChunkBuilder builder(Seq{1}, ChunkKind::kMessages);
    builder.add(message.id, message.sent_at, sent, message.lineage);
    const auto alone = std::move(builder).finish();
    require(alone->message(0).body == message.body && alone->message(0).attributes() == sent.attributes,
            "a message changes when it is sent again");
    if (message.carried.empty()) continue;
    require(encode_carried(decode_carried(encode_carried(decode_carried(message.carried)))) ==
                encode_carried(decode_carried(message.carried)),
            "what a message carries changes");
  }
  return true;
}

std::vector<std::string> chunk_seeds() {
  std::vector<std::string> seeds;
  for (const ChunkKind kind : {ChunkKind::kMessages, ChunkKind::kDeadLetters, ChunkKind::kReplayed}) {
    ChunkBuilder builder(Seq{1}, kind);
    builder.add(sample_id(1), sample_time(), {.body = "plain"});
    builder.add(sample_id(2), sample_time(), sample_message(),
                {.replays = 1,
                 .deaths = 2,
                 .first_failed_at = sample_time(),
                 .origin_queue = QueueId{3},
                 .origin_seq = Seq{4}});
    const std::string carried = encode_carried({sample_history(), ReturnTo::kTail});
    MessageView waiting;
    waiting.id = sample_id(3);
    waiting.carried = carried;
    waiting.attribute_bytes = std::string_view("\0", 1);
    waiting.body = "waits";
    waiting.expires_at = sample_time();
    builder.add_copy(waiting, {.replays = 1, .record_queue = QueueId{4}, .record_seq = Seq{5}});
    builder.add_nothing();
    seeds.push_back(std::move(builder).finish()->bytes());
  }
  return seeds;
}

bool run_delivery_row(std::string_view input) {
  return must_come_back(input, decode_delivery_row, [](const ChunkState& chunk) {
    std::string row;
    encode_delivery_row(chunk, row);
    return row;
  });
}

namespace {

// Returns messages in each state, with none and with all of the marks that a message in that state may have.
std::vector<Entry> sample_entries() {
  const FailureHistory history = sample_history();
  std::vector<Entry> entries;
  for (std::uint8_t state = 0; state <= 5; ++state) {
    Entry entry;
    entry.state = static_cast<EntryState>(state);
    entry.due = sample_time();
    entry.lease = LeaseId{state};
    entry.deliveries = state;
    entry.bytes = state;
    if (state > 2) entry.first_failed_at = entry.last_failed_at = sample_time();
    if (state > 1) entry.consumer = history.consumer;
    if (state > 2) entry.attempts = history.attempts;
    entries.insert(entries.end(), 1U + state, entry);
    entry.deliveries = 7;  // so a fresh one was delivered before, at another place
    entry.bytes = 300;
    entry.prefetched = entry.state == EntryState::kLeased;
    entry.renewal_ms = entry.prefetched ? 30'000 : 0;
    entry.expired = entry.prefetched || entry.state == EntryState::kExhausted;
    entry.overflowed = entry.state == EntryState::kExhausted;
    entry.to_tail = entry.state == EntryState::kWaiting;
    entry.held_ms = 1500;
    entry.extended = 2;
    entry.set_described(entry.attempts ? 5 : 0);
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace

std::vector<std::string> delivery_row_seeds() {
  std::vector<std::string> seeds;
  for (const ChunkKind kind : {ChunkKind::kMessages, ChunkKind::kDeadLetters, ChunkKind::kReplayed}) {
    ChunkState chunk;
    chunk.entries = sample_entries();
    chunk.dead_letters = kind == ChunkKind::kDeadLetters;
    chunk.replayed = kind == ChunkKind::kReplayed;
    encode_delivery_row(chunk, seeds.emplace_back());
  }
  return seeds;
}

bool run_dead_letter_row(std::string_view input) {
  must_settle(input, decode_dead_letter_row, encode_dead_letter_row);
  const auto row = decode_dead_letter_row(input);
  const auto stored = StoredRecord::decode(input);
  require(!row || (stored && (*stored)->indexed() == indexed_fields(*row)),
          "a row looks different to what moves it");
  if (!row) return false;
  for (const auto& [posting, count] : index_entries(QueueId{1}, {.history = false, .seq = Seq{7}}, *row)) {
    require(count.empty() || keys::parse_count(count), "a count's key does not decode");
    if (posting.empty()) continue;
    const auto place = keys::is_id_row(posting) ? std::nullopt : keys::parse_posting(posting);
    require(keys::is_id_row(posting) || (place && place->seq == Seq{7}),
            "a posting does not name its record");
    require(keys::parse_last_seq(posting) == Seq{7}, "a posting does not name its record");
  }
  return true;
}

bool run_posting(std::string_view input) {
  const std::string key =
      keys::posting(QueueId{1}, IndexKind::kCategory, "timeout", {false, sample_time(), Seq{7}});
  const auto seqs = decode_posting(key, input);
  if (!seqs) return false;
  require(std::ranges::is_sorted(*seqs) && seqs->front() == Seq{7}, "a posting's seqs do not ascend");
  require(decode_posting(key, encode_posting(*seqs)) == *seqs, "a posting does not come back");
  return true;
}

std::vector<std::string> posting_seeds() {
  return {encode_posting(std::vector{Seq{7}}), encode_posting(std::vector{Seq{7}, Seq{8}, Seq{300}})};
}

std::vector<std::string> dead_letter_row_seeds() {
  return {encode_dead_letter_row({}), encode_dead_letter_row(sample_dead_letter_row())};
}

namespace {

bool run_failure(std::string_view input) {
  const auto failure = decode_failure(input);
  if (!failure) return false;
  require(decode_failure(encode_failure(*failure)) == *failure, "a failure does not come back");
  return true;
}

}  // namespace

bool run_small_rows(std::string_view input) {
  const bool decoded[] = {must_come_back(input, decode_dedup_row, encode_dedup_row),
                          must_come_back(input, decode_index_count, encode_index_count),
                          must_come_back(input, decode_request_row, encode_request_row),
                          must_come_back(input, decode_request_time, encode_request_time),
                          must_come_back(input, decode_arrivals_row, encode_arrivals_row),
                          must_settle(input, decode_journal_row, encode_journal_row),
                          must_come_back(input, decode_replay, encode_replay),
                          run_failure(input),
                          decode_original(input).has_value()};
  return std::ranges::find(decoded, true) != std::end(decoded);
}

std::vector<std::string> small_row_seeds() {
  MessageView original;
  original.attribute_bytes = "\1\4name\5value";
  original.body = "as it was";
  return {encode_dedup_row({sample_id(1), sample_time()}),
          encode_index_count({300, 7}),
          encode_arrivals_row({.causes = {{DeathCause::kRejected, 300}},
                               .came = {.categories = {{"", 1}, {"timeout", 299}}, .others = 2},
                               .minutes = {{0, 1}, {59, 299}},
                               .totals = {.categories = {{"timeout", 300}}, .others = 2}}),
          encode_journal_row({.at = sample_time(),
                              .kind = StepKind::kDeadLettered,
                              .queue = "orders",
                              .to = "dlq",
                              .seq = Seq{9},
                              .deliveries = 3,
                              .consumer = {"one", "2.1"},
                              .until = sample_time(),
                              .cause = DeathCause::kRejected,
                              .category = "validation",
                              .reason = "bad"}),
          encode_request_row({.content = 1,
                              .ids = {sample_id(1), sample_id(2)},
                              .duplicates = {1},
                              .failed = {{0, {ErrorCode::kDiskFull, "full"}}}}),
          encode_request_row({.content = 1,
                              .ids = {},
                              .duplicates = {},
                              .failed = {{299, {ErrorCode::kReceiptStale, "over"}}},
                              .entries = 300}),
          encode_request_row({.content = 1,
                              .ids = {},
                              .duplicates = {},
                              .failed = {},
                              .ended = RequestRow::Ended{TaskId{7}, "row"}}),
          encode_request_time(std::chrono::hours(24)),
          encode_replay({.outcome = ReplayOutcome::kAcked, .at = sample_time()}),
          encode_original(original),
          encode_failure(sample_failure())};
}

}  // namespace holdfast::fuzz
