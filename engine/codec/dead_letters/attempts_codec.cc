#include "engine/codec/dead_letters/attempts_codec.h"

#include <utility>

#include "engine/codec/dead_letters/failure.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::uint8_t kSameConsumer = 1;
constexpr std::uint8_t kHasLease = 2;

std::uint32_t held_ms_of(const AttemptNote& attempt) { return attempt.held_ms; }
std::uint32_t held_ms_of(const Attempt& attempt) { return whole_ms(attempt.held); }

// Writes the notes of the window or the history of a record, which have the same row.
template <class Attempts>
void put_row(std::string& out, const Attempts& attempts) {
  wire::put_varints(out, {attempts.left_out, attempts.kept.size()});
  const Consumer none;
  const Consumer* before = &none;
  for (const auto& attempt : attempts.kept) {
    const std::uint32_t held_ms = held_ms_of(attempt);
    const bool same = attempt.consumer == *before;
    const bool has_lease = held_ms != 0 || attempt.extended != 0;
    char fixed[sizeof(std::uint64_t) + 2];
    char* end = wire::write_time(fixed, attempt.failed_at);
    *end++ = static_cast<char>(attempt.end);
    *end++ = static_cast<char>((same ? kSameConsumer : 0) | (has_lease ? kHasLease : 0));
    out.append(fixed, end);
    before = &attempt.consumer;
    if (!same) {
      wire::put_bytes(out, attempt.consumer.instance);
      wire::put_bytes(out, attempt.consumer.version);
    }
    if (!has_lease) continue;
    char lease[wire::kLongestVarint + 1];
    end = wire::write_varint(lease, held_ms);
    *end++ = static_cast<char>(attempt.extended);
    out.append(lease, end);
  }
}

}  // namespace

void put_attempts(std::string& out, const AttemptNotes& attempts) { put_row(out, attempts); }
void put_attempts(std::string& out, const AttemptHistory& attempts) { put_row(out, attempts); }

AttemptNotes read_attempts(wire::Reader& reader) {
  AttemptNotes attempts;
  attempts.left_out = reader.varint32();
  const std::uint64_t count = reader.varint();
  // No history has more attempts. In a damaged one each attempt might repeat a consumer as long as the row.
  if (count > limits::kFirstAttempts + limits::kLastAttempts) reader.fail();
  Consumer consumer;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    AttemptNote& attempt = attempts.kept.emplace_back();
    attempt.failed_at = reader.time();
    attempt.end = static_cast<AttemptEnd>(reader.u8());
    const std::uint8_t flags = reader.u8();
    if ((flags & kSameConsumer) == 0) {
      consumer.instance = reader.bytes();
      consumer.version = reader.bytes();
    }
    attempt.consumer = consumer;
    if ((flags & kHasLease) == 0) continue;
    attempt.held_ms = reader.varint32();
    attempt.extended = reader.u8();
  }
  return attempts;
}

AttemptHistory history_of(const AttemptNotes& notes) {
  AttemptHistory attempts{.kept = {}, .left_out = notes.left_out};
  attempts.kept.reserve(notes.kept.size());
  for (const AttemptNote& note : notes.kept) {
    Attempt& attempt = attempts.kept.emplace_back();
    attempt.failed_at = note.failed_at;
    attempt.end = note.end;
    attempt.consumer = note.consumer;
    attempt.held = std::chrono::milliseconds(note.held_ms);
    attempt.extended = note.extended;
  }
  return attempts;
}

std::string encode_descriptions(const AttemptHistory& attempts) {
  std::string out;
  for (std::size_t i = 0; i < attempts.kept.size(); ++i) {
    const Failure& failure = attempts.kept[i].failure;
    if (failure.empty()) continue;
    wire::put_varint(out, i);
    wire::put_bytes(out, encode_failure(failure));
  }
  return out;
}

bool read_descriptions(std::string_view bytes, AttemptHistory& attempts) {
  wire::Reader reader(bytes);
  while (!reader.at_end()) {
    const std::uint64_t index = reader.varint();
    auto failure = decode_failure(reader.bytes());
    if (reader.failed() || index >= attempts.kept.size() || !failure) return false;
    attempts.kept[index].failure = std::move(*failure);
  }
  return !reader.failed();
}

}  // namespace holdfast
