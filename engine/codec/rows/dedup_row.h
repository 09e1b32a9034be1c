// A row of `dedup` says which message was sent with an id or a body, and when.
//
//   key = queue:u64 bucket:u64 id:byte*16     big-endian; the bucket is a time
//   row = message id:byte*16 sent_at:u64
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/queue.h"

namespace holdfast {

// The key is the first half of a SHA-256. It is short, always as long, and nobody can make two messages with
// the same one.
struct DedupKey {
  std::array<std::uint8_t, 16> bytes{};

  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  friend auto operator<=>(const DedupKey&, const DedupKey&) = default;
};

struct DedupKeyHash {
  std::size_t operator()(const DedupKey& key) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, key.bytes.data(), sizeof hash);
    return hash;
  }
};

// Returns the key by which the queue recognises the message when it is sent again; nothing if the queue does
// not.
std::optional<DedupKey> dedup_key(const Message& message, Deduplication deduplication);

struct DedupRow {
  MessageId message_id;
  Timestamp sent_at{};
};
std::string encode_dedup_row(const DedupRow& row);
// kCorruption if it does not decode.
Result<DedupRow> decode_dedup_row(std::string_view row);

}  // namespace holdfast
