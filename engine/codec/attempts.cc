#include "codec/attempts.h"

#include <utility>

#include "holdfast/limits.h"

namespace holdfast {

void put_attempts(std::string& out, const AttemptHistory& attempts) {
  wire::put_varint(out, attempts.left_out);
  wire::put_varint(out, attempts.kept.size());
  const Consumer none;
  const Consumer* before = &none;
  for (const Attempt& attempt : attempts.kept) {
    wire::put_time(out, attempt.failed_at);
    wire::put_u8(out, static_cast<std::uint8_t>(attempt.end));
    const bool same = attempt.consumer == *before;
    wire::put_u8(out, same ? 1 : 0);
    before = &attempt.consumer;
    if (same) continue;
    wire::put_bytes(out, attempt.consumer.instance);
    wire::put_bytes(out, attempt.consumer.version);
  }
}

AttemptHistory read_attempts(wire::Reader& reader) {
  AttemptHistory attempts;
  attempts.left_out = reader.varint32();
  const std::uint64_t count = reader.varint();
  // No history has more; in a damaged one each might repeat a consumer as long as the row.
  if (count > limits::kFirstAttempts + limits::kLastAttempts) reader.fail();
  Consumer consumer;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    Attempt& attempt = attempts.kept.emplace_back();
    attempt.failed_at = reader.time();
    attempt.end = static_cast<AttemptEnd>(reader.u8());
    if (reader.u8() == 0) {
      consumer.instance = reader.bytes();
      consumer.version = reader.bytes();
    }
    attempt.consumer = consumer;
  }
  return attempts;
}

}  // namespace holdfast
