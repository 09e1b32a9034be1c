#include "engine/codec/rows/delivery_row.h"

#include "engine/codec/dead_letters/attempts_codec.h"
#include "engine/codec/encoding/wire.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// A row has one of these numbers for its ChunkKind.
constexpr std::uint8_t kMessages = 0;
constexpr std::uint8_t kDeadLetters = 1;
constexpr std::uint8_t kReplayed = 2;

constexpr std::uint8_t kHasFailures = 1;
constexpr std::uint8_t kHasConsumer = 2;
constexpr std::uint8_t kHasAttempts = 4;
constexpr std::uint8_t kPrefetched = 8;
constexpr std::uint8_t kExpired = 16;
constexpr std::uint8_t kOverflowed = 32;
constexpr std::uint8_t kToTail = 64;
constexpr std::uint8_t kHasLease = 128;

// The row has one state that EntryState does not have: fresh, with details.
constexpr std::uint8_t kFreshAgain = 6;

bool has_details(const Entry& entry) {
  if (entry.state != EntryState::kFresh) return entry.state != EntryState::kDone;
  return entry.deliveries != 0 || entry.first_failed_at != Timestamp{};
}

std::uint8_t state_code(const Entry& entry) {
  const bool again = entry.state == EntryState::kFresh && has_details(entry);
  return again ? kFreshAgain : static_cast<std::uint8_t>(entry.state);
}

// Returns the renewal, which means something only while the message is leased.
std::uint32_t renewal_of(const Entry& entry) {
  return entry.state == EntryState::kLeased ? entry.renewal_ms : 0;
}

bool same_attempts(const Entry& a, const Entry& b) {
  if (a.attempts == b.attempts) return true;
  return a.attempts && b.attempts && *a.attempts == *b.attempts;
}

bool alike(const Entry& a, const Entry& b) {
  if (state_code(a) != state_code(b)) return false;
  return !has_details(a) ||
         (a.lease == b.lease && a.due == b.due && a.deliveries == b.deliveries && a.consumer == b.consumer &&
          a.prefetched == b.prefetched && a.expired == b.expired && a.overflowed == b.overflowed &&
          a.to_tail == b.to_tail && a.held_ms == b.held_ms && a.extended == b.extended &&
          a.described == b.described && renewal_of(a) == renewal_of(b) &&
          a.first_failed_at == b.first_failed_at && a.last_failed_at == b.last_failed_at &&
          same_attempts(a, b));
}

Seq home_of(const Entry& entry) { return entry.attempts ? entry.attempts->home : Seq{}; }

bool has_lease(const Entry& entry) {
  return entry.held_ms != 0 || entry.extended != 0 || entry.described != 0 || home_of(entry) != Seq{} ||
         renewal_of(entry) != 0;
}

void encode_details(const Entry& entry, std::string& out) {
  const bool failed = entry.first_failed_at != Timestamp{};
  // A row has as many of these as its messages differ, so the string grows once for all fixed fields.
  char fixed[wire::kLongestVarint + 4 * sizeof(std::uint64_t) + 1];
  char* end = wire::write_varint(fixed, entry.deliveries);
  end = wire::write_u64(end, static_cast<std::uint64_t>(entry.lease));
  end = wire::write_time(end, entry.due);
  *end++ = static_cast<char>((failed ? kHasFailures : 0) | (entry.consumer ? kHasConsumer : 0) |
                             (entry.attempts ? kHasAttempts : 0) | (entry.prefetched ? kPrefetched : 0) |
                             (entry.expired ? kExpired : 0) | (entry.overflowed ? kOverflowed : 0) |
                             (entry.to_tail ? kToTail : 0) | (has_lease(entry) ? kHasLease : 0));
  if (failed) {
    end = wire::write_time(end, entry.first_failed_at);
    end = wire::write_time(end, entry.last_failed_at);
  }
  out.append(fixed, end);
  if (entry.consumer) {
    wire::put_bytes(out, entry.consumer->instance);
    wire::put_bytes(out, entry.consumer->version);
  }
  if (entry.attempts) put_attempts(out, *entry.attempts);
  if (!has_lease(entry)) return;
  char lease[4 * wire::kLongestVarint + 1];
  end = wire::write_varint(lease, entry.held_ms);
  *end++ = static_cast<char>(entry.extended);
  end = wire::write_varint(end, entry.described);
  end = wire::write_varint(end, static_cast<std::uint64_t>(home_of(entry)));
  end = wire::write_varint(end, renewal_of(entry));
  out.append(lease, end);
}

// Returns false if no row can have these values.
bool decode_lease(wire::Reader& reader, Entry& entry, AttemptNotes& attempts) {
  entry.held_ms = reader.varint32();
  entry.extended = reader.u8();
  const std::uint64_t described = reader.varint();
  attempts.home = Seq{reader.varint()};
  entry.renewal_ms = reader.varint32();
  entry.set_described(static_cast<unsigned>(described));
  return entry.described == described && (attempts.home == Seq{} || !attempts.kept.empty()) &&
         entry.renewal_ms == renewal_of(entry);
}

// Returns false if no row can have these values.
bool decode_details(wire::Reader& reader, Entry& entry) {
  entry.deliveries = reader.varint32();
  entry.lease = LeaseId{reader.u64()};
  entry.due = reader.time();
  const std::uint8_t flags = reader.u8();
  entry.prefetched = (flags & kPrefetched) != 0;
  entry.expired = (flags & kExpired) != 0;
  entry.overflowed = (flags & kOverflowed) != 0;
  entry.to_tail = (flags & kToTail) != 0;
  if ((flags & kHasFailures) != 0) {
    entry.first_failed_at = reader.time();
    entry.last_failed_at = reader.time();
  }
  if ((flags & kHasConsumer) != 0) {
    const std::string_view instance = reader.bytes();
    const std::string_view version = reader.bytes();
    entry.consumer = std::make_shared<const Consumer>(Consumer{std::string(instance), std::string(version)});
  }
  AttemptNotes attempts;
  if ((flags & kHasAttempts) != 0) attempts = read_attempts(reader);
  if ((flags & kHasLease) != 0 && !decode_lease(reader, entry, attempts)) return false;
  if ((flags & kHasAttempts) != 0) entry.attempts = std::make_shared<const AttemptNotes>(std::move(attempts));
  const bool failed = (flags & kHasFailures) != 0;
  return failed == (entry.first_failed_at != Timestamp{}) && has_details(entry) &&
         (!entry.to_tail || entry.state == EntryState::kWaiting);
}

void encode_sizes(const std::vector<Entry>& entries, std::string& out) {
  std::uint64_t length = 0;
  std::uint32_t bytes = 0;
  const auto end_run = [&] {
    if (length == 0) return;
    wire::put_varint(out, length);
    wire::put_varint(out, bytes);
    length = 0;
  };
  for (const Entry& entry : entries) {
    if (entry.state == EntryState::kDone) continue;
    if (entry.bytes != bytes) end_run();
    bytes = entry.bytes;
    ++length;
  }
  end_run();
}

// Returns false if the sizes are not those of exactly the messages that are not done.
bool decode_sizes(wire::Reader& reader, std::vector<Entry>& entries) {
  std::uint64_t left = 0;
  std::uint32_t bytes = 0;
  for (Entry& entry : entries) {
    if (entry.state == EntryState::kDone) continue;
    if (left == 0) {
      left = reader.varint();
      bytes = reader.varint32();
      if (reader.failed() || left == 0) return false;
    }
    entry.bytes = bytes;
    --left;
  }
  return left == 0 && reader.at_end();
}

}  // namespace

void encode_delivery_row(const ChunkState& chunk, std::string& out) {
  wire::put_u8(out, chunk.dead_letters ? kDeadLetters : chunk.replayed ? kReplayed : kMessages);
  wire::put_varint(out, chunk.entries.size());
  for (std::size_t begin = 0, end = 0; begin < chunk.entries.size(); begin = end) {
    const Entry& entry = chunk.entries[begin];
    for (end = begin + 1; end < chunk.entries.size() && alike(entry, chunk.entries[end]);) ++end;
    wire::put_varint(out, end - begin);
    wire::put_u8(out, state_code(entry));
    if (has_details(entry)) encode_details(entry, out);
  }
  encode_sizes(chunk.entries, out);
}

Result<ChunkState> decode_delivery_row(std::string_view row) {
  const auto corrupt = fail(ErrorCode::kCorruption, "a row of delivery state does not decode");
  wire::Reader reader(row);
  ChunkState chunk;
  const std::uint8_t kind = reader.u8();
  chunk.dead_letters = kind == kDeadLetters;
  chunk.replayed = kind == kReplayed;
  const std::uint64_t count = reader.varint();
  if (reader.failed() || kind > kReplayed || count == 0 || count > limits::kChunkMessages) return corrupt;
  chunk.row_puts = ChunkState::RowPuts::kMany;
  while (chunk.entries.size() < count) {
    const std::uint64_t length = reader.varint();
    const std::uint8_t state = reader.u8();
    Entry entry;
    if (state > kFreshAgain) return corrupt;
    entry.state = state == kFreshAgain ? EntryState::kFresh : static_cast<EntryState>(state);
    const bool detailed = state != state_code(Entry{}) && entry.state != EntryState::kDone;
    if (detailed && !decode_details(reader, entry)) return corrupt;
    if (reader.failed() || length == 0 || length > count - chunk.entries.size()) return corrupt;
    if (entry.state == EntryState::kDone) chunk.done += static_cast<std::uint32_t>(length);
    if (entry.state == EntryState::kReady) chunk.ready += static_cast<std::uint32_t>(length);
    chunk.entries.insert(chunk.entries.end(), length, entry);
  }
  if (!decode_sizes(reader, chunk.entries)) return corrupt;
  return chunk;
}

}  // namespace holdfast
