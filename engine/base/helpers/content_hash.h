// A content hash is made of what a call carries. It tells whether a repeated call carries the same. It is
// stored on disk, so it never changes. It guards against mistakes, not against attacks.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/base/helpers/concealed_receipt.h"
#include "engine/base/helpers/split_mix.h"
#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"

namespace holdfast {

class ContentHash {
 public:
  ContentHash& add(std::uint64_t number) {
    state_ = split_mix((state_ ^ number) + kSplitMixStep);
    return *this;
  }

  // Adds the size before the bytes, so that texts in a row do not run together.
  ContentHash& add(std::string_view bytes) {
    add(std::uint64_t{bytes.size()});
    if (bytes.size() >= kStride) add_strides(bytes);
    for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 8 ? bytes.size() : 8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
      add(word);
    }
    return *this;
  }

  ContentHash& add(const Receipt& receipt) {
    return add(static_cast<std::uint64_t>(revealed(receipt.queue)))
        .add(static_cast<std::uint64_t>(receipt.seq))
        .add(static_cast<std::uint64_t>(receipt.lease));
  }

  ContentHash& add(const Message& message) {
    add(std::string_view(message.body)).add(std::uint64_t{message.attributes.size()});
    for (const auto& [name, value] : message.attributes)
      add(std::string_view(name)).add(std::string_view(value));
    add(std::uint64_t{message.priority});
    add(std::string_view(message.group)).add(std::string_view(message.deduplication_id));
    const Timestamp visible_at = message.visible_at.value_or(Timestamp{});
    if (message.time_to_live) add(static_cast<std::uint64_t>(message.time_to_live->count()));
    add(static_cast<std::uint64_t>(message.delay.value_or(Duration(-1)).count()));
    return add(static_cast<std::uint64_t>(visible_at.time_since_epoch().count()));
  }

  ContentHash& add(const Rejection& rejection) {
    add(std::string_view(rejection.category)).add(std::string_view(rejection.reason));
    add(std::string_view(rejection.code)).add(std::string_view(rejection.stack_trace));
    add(std::uint64_t{rejection.causes.size()});
    for (const auto& [code, message] : rejection.causes)
      add(std::string_view(code)).add(std::string_view(message));
    return add(std::string_view(rejection.partial_output));
  }

  std::uint64_t value() const { return state_; }

 private:
  // Bodies are most of what is hashed. They are hashed four words at a time, so that the words do not wait
  // for each other.
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kStride = kLanes * sizeof(std::uint64_t);
  static constexpr std::uint64_t kOdd = 0xbf58476d1ce4e5b9U;

  void add_strides(std::string_view& bytes) {
    std::uint64_t lanes[kLanes] = {1, 2, 3, 4};
    for (; bytes.size() >= kStride; bytes.remove_prefix(kStride)) {
      std::uint64_t words[kLanes];
      std::memcpy(words, bytes.data(), kStride);
      for (std::size_t i = 0; i < kLanes; ++i) {
        lanes[i] = (lanes[i] ^ words[i]) * kOdd;
        lanes[i] ^= lanes[i] >> 32;
      }
    }
    for (const std::uint64_t lane : lanes) add(lane);
  }

  std::uint64_t state_ = 0;
};

}  // namespace holdfast
