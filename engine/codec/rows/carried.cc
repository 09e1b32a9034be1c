#include "engine/codec/rows/carried.h"

#include <utility>

#include "engine/codec/dead_letters/attempts_codec.h"
#include "engine/codec/encoding/wire.h"

namespace holdfast {
namespace {

Carried read(wire::Reader& reader) {
  Carried carried;
  carried.to = static_cast<ReturnTo>(reader.u8());
  if (carried.to > ReturnTo::kTail) reader.fail();
  FailureHistory& history = carried.history;
  history.deliveries = reader.varint32();
  history.first_failed_at = reader.time();
  history.last_failed_at = reader.time();
  const std::string_view instance = reader.bytes();
  const std::string_view version = reader.bytes();
  if (!instance.empty() || !version.empty()) {
    history.consumer =
        std::make_shared<const Consumer>(Consumer{std::string(instance), std::string(version)});
  }
  AttemptNotes attempts = read_attempts(reader);
  if (!reader.at_end()) {
    const std::uint64_t described = reader.varint();
    history.home = attempts.home = Seq{reader.varint()};
    history.described = static_cast<FailureSlots>(described);
    const bool whole = described < (1U << kFailureSlots) && described != 0 && history.home != Seq{};
    if (!whole || attempts.kept.empty()) reader.fail();
  }
  if (!attempts.kept.empty()) history.attempts = std::make_shared<const AttemptNotes>(std::move(attempts));
  return carried;
}

}  // namespace

std::string encode_carried(const Carried& carried) {
  const FailureHistory& history = carried.history;
  static const Consumer nobody;
  const Consumer& consumer = history.consumer ? *history.consumer : nobody;
  std::string out;
  wire::put_u8(out, static_cast<std::uint8_t>(carried.to));
  wire::put_varint(out, history.deliveries);
  wire::put_time(out, history.first_failed_at);
  wire::put_time(out, history.last_failed_at);
  wire::put_bytes(out, consumer.instance);
  wire::put_bytes(out, consumer.version);
  put_attempts(out, history.attempts ? *history.attempts : AttemptNotes{});
  if (history.described == 0) return out;
  wire::put_varint(out, history.described);
  wire::put_varint(out, static_cast<std::uint64_t>(history.home));
  return out;
}

Carried decode_carried(std::string_view carried) {
  wire::Reader reader(carried);
  return read(reader);
}

bool is_valid_carried(std::string_view carried) {
  wire::Reader reader(carried);
  read(reader);
  return !reader.failed() && reader.at_end();
}

}  // namespace holdfast
