#include "engine/codec/dead_letters/attempts_codec.h"

#include <utility>

#include "engine/codec/dead_letters/failure.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::uint8_t kSameConsumer = 1;
constexpr std::uint8_t kHasLease = 2;

}  // namespace

void put_attempts(std::string& out, const AttemptNotes& attempts) {
  wire::put_varint(out, attempts.left_out);
  wire::put_varint(out, attempts.kept.size());
  const Consumer none;
  const Consumer* before = &none;
  for (const AttemptNote& attempt : attempts.kept) {
    wire::put_time(out, attempt.failed_at);
    wire::put_u8(out, static_cast<std::uint8_t>(attempt.end));
    const bool same = attempt.consumer == *before;
    const bool has_lease = attempt.held_ms != 0 || attempt.extended != 0;
    wire::put_u8(out, static_cast<std::uint8_t>((same ? kSameConsumer : 0) | (has_lease ? kHasLease : 0)));
    before = &attempt.consumer;
    if (!same) {
      wire::put_bytes(out, attempt.consumer.instance);
      wire::put_bytes(out, attempt.consumer.version);
    }
    if (!has_lease) continue;
    wire::put_varint(out, attempt.held_ms);
    wire::put_u8(out, attempt.extended);
  }
}

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
    attempts.kept.push_back({.failed_at = note.failed_at,
                             .end = note.end,
                             .consumer = note.consumer,
                             .held = std::chrono::milliseconds(note.held_ms),
                             .extended = note.extended});
  }
  return attempts;
}

AttemptNotes notes_of(const AttemptHistory& attempts) {
  AttemptNotes notes{.kept = {}, .left_out = attempts.left_out};
  notes.kept.reserve(attempts.kept.size());
  for (const Attempt& attempt : attempts.kept) {
    notes.kept.push_back({.failed_at = attempt.failed_at,
                          .end = attempt.end,
                          .extended = static_cast<std::uint8_t>(attempt.extended),
                          .held_ms = whole_ms(attempt.held),
                          .consumer = attempt.consumer});
  }
  return notes;
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
