// Writes and reads the bytes of rows: little-endian numbers of a fixed width, LEB128 varints, and strings
// with their length before them. Keys have big-endian numbers instead, so that they sort as their numbers do
// (see keys.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "holdfast/time.h"

namespace holdfast::wire {

inline void put_u8(std::string& out, std::uint8_t value) { out.push_back(static_cast<char>(value)); }

inline void put_u32(std::string& out, std::uint32_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

// Writes 8 bytes and returns their end.
inline char* write_u64(char* to, std::uint64_t value) {
  std::memcpy(to, &value, sizeof value);
  return to + sizeof value;
}

inline void put_u64(std::string& out, std::uint64_t value) {
  char bytes[sizeof value];
  out.append(bytes, write_u64(bytes, value));
}

constexpr std::size_t kLongestVarint = 10;

// Writes a varint of at most kLongestVarint bytes and returns its end.
inline char* write_varint(char* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

// Puts each of the numbers as put_varint() does. It costs less, since the string grows once for all of them.
inline void put_varints(std::string& out, std::initializer_list<std::uint64_t> numbers) {
  const std::size_t before = out.size();
  out.resize(before + kLongestVarint * numbers.size());
  char* end = out.data() + before;
  for (const std::uint64_t value : numbers) end = write_varint(end, value);
  out.resize(static_cast<std::size_t>(end - out.data()));
}

inline void put_varint(std::string& out, std::uint64_t value) {
  if (value < 0x80) return out.push_back(static_cast<char>(value));
  char bytes[kLongestVarint];
  out.append(bytes, write_varint(bytes, value));
}

inline void put_bytes(std::string& out, std::string_view bytes) {
  put_varint(out, bytes.size());
  out.append(bytes);
}

inline char* write_time(char* to, Timestamp time) {
  return write_u64(to, static_cast<std::uint64_t>(time.time_since_epoch().count()));
}

inline void put_time(std::string& out, Timestamp time) {
  char bytes[sizeof(std::uint64_t)];
  out.append(bytes, write_time(bytes, time));
}

// Reads what the functions of this file write. After a value that runs over the end or is malformed, failed()
// stays true and what is read has no meaning, but nothing is read beyond the end. So a decoder checks once,
// at its end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed<char>()); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  Timestamp time() { return Timestamp(Duration(static_cast<std::int64_t>(u64()))); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = u8();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (shift == 63 && byte > 1) failed_ = true;
        return value;
      }
    }
    failed_ = true;
    return 0;
  }

  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > UINT32_MAX) failed_ = true;
    return static_cast<std::uint32_t>(value);
  }

  std::string_view bytes() { return raw(varint()); }

  std::string_view raw(std::uint64_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    rest_ = {};
  }

 private:
  template <class T>
  T fixed() {
    T value{};
    const std::string_view from = raw(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace holdfast::wire
