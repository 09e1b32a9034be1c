#include "engine/services/id_source.h"

#include <chrono>
#include <cstring>

#include "engine/base/helpers/split_mix.h"
#include "engine/codec/encoding/big_endian.h"

namespace holdfast {
// Makes an id of version 7 of RFC 9562: 48 bits of milliseconds, 12 bits of the counter (so that ids of one
// millisecond sort by their send for 4096 of them), 62 bits that are different for each counter value and
// salt.
MessageId IdSource::next_message(Timestamp now) {
  const std::uint64_t counter = next_message_.fetch_add(1, std::memory_order_relaxed);
  const auto since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const auto millis = static_cast<std::uint64_t>(since_epoch.count());
  const std::uint64_t high = (millis << 16) | 0x7000 | (counter & 0xfff);
  const std::uint64_t low = (split_mix(salt_ + counter) >> 2) | (std::uint64_t{1} << 63);
  MessageId id;
  const std::uint64_t ordered[] = {big_endian(high), big_endian(low)};
  static_assert(sizeof ordered == sizeof id.bytes);
  std::memcpy(id.bytes.data(), ordered, sizeof ordered);
  return id;
}

}  // namespace holdfast
