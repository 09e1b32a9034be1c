#include "engine/salvage/table_rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <optional>
#include <string>

#include "engine/storage/files/little_endian.h"

namespace holdfast::salvage {
namespace {

// A block consists of entries, the offsets of some of them (each u32), and the number of offsets (u32). An
// entry is shared:varint own:varint size:varint, the own bytes of its key, and its value. The key begins with
// as many bytes of the previous entry's key as are shared. After a block come compression:u8 checksum:u32.
constexpr std::size_t kOffset = sizeof(std::uint32_t);
constexpr std::size_t kTrailer = 5;
constexpr std::size_t kKeyTrailer = 8;  // kind:u8 sequence:u56 at a key's end
constexpr char kPlain = 0;
constexpr char kLz4 = 4;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of one block

std::uint32_t checksum(std::string_view block, char compression) {
  constexpr std::uint32_t kPrime = 0x6b9083d9;
  return static_cast<std::uint32_t>(XXH3_64bits(block.data(), block.size())) ^
         static_cast<std::uint8_t>(compression) * kPrime;
}

bool is_sealed(std::string_view bytes, std::size_t size, char compression) {
  return size + kTrailer <= bytes.size() && bytes[size] == compression &&
         load_little<std::uint32_t>(bytes, size + 1) == checksum(bytes.substr(0, size), compression);
}

std::optional<std::uint32_t> take_varint(std::string_view bytes, std::size_t& at) {
  std::uint32_t number = 0;
  for (unsigned shift = 0; shift < 32 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    number |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

bool is_kind(char byte) {
  return byte == static_cast<char>(RowKind::kRemoval) || byte == static_cast<char>(RowKind::kValue) ||
         byte == static_cast<char>(RowKind::kSingleRemoval) ||
         byte == static_cast<char>(RowKind::kRangeRemoval);
}

// Walks over the entries of a block.
class Entries {
 public:
  explicit Entries(std::string_view bytes) : bytes_(bytes) {}

  // Returns false at the offsets, and where a table cannot have an entry.
  bool next() {
    std::size_t at = end_;
    const auto shared = take_varint(bytes_, at);
    const auto own = take_varint(bytes_, at);
    const auto size = take_varint(bytes_, at);
    if (!shared || !own || !size || *shared > key_.size() || *own == 0) return false;
    if (*shared + std::size_t{*own} < kKeyTrailer || at + *own + std::size_t{*size} > bytes_.size())
      return false;
    key_.resize(*shared);
    key_.append(bytes_.substr(at, *own));
    if (!is_kind(key_[key_.size() - kKeyTrailer])) return false;
    value_ = bytes_.substr(at + *own, *size);
    begin_ = end_;
    end_ = at + *own + *size;
    return true;
  }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

  RowVersion version() const {
    const std::size_t trailer = key_.size() - kKeyTrailer;
    return {std::string_view(key_).substr(0, trailer), load_little<std::uint64_t>(key_, trailer) >> 8,
            static_cast<RowKind>(key_[trailer]), value_};
  }

 private:
  const std::string_view bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string key_;
  std::string_view value_;
};

// Returns the length of the uncompressed block of rows at the beginning of `bytes`, if there is one. `sealed`
// says whether the block may have a given length.
template <class Sealed>
std::optional<std::size_t> plain_block(std::string_view bytes, const Sealed& sealed) {
  Entries entries(bytes);
  std::vector<std::uint32_t> begins;
  while (entries.next()) begins.push_back(static_cast<std::uint32_t>(entries.begin()));
  if (begins.empty()) return std::nullopt;
  // The offsets are those of entries, ascending from 0 on. Their number may look like one more offset.
  auto expected = begins.begin();
  for (std::size_t count = 0; entries.end() + (count + 1) * kOffset <= bytes.size(); ++count) {
    const auto number = load_little<std::uint32_t>(bytes, entries.end() + count * kOffset);
    const std::size_t size = entries.end() + (count + 1) * kOffset;
    if (count > 0 && number == count && sealed(size)) return size;
    expected = std::find(expected, begins.end(), number);
    if (expected == begins.end()) return std::nullopt;
    ++expected;
  }
  return std::nullopt;
}

// Reads the bytes of a length in an LZ4 run that does not fit into its four bits.
bool take_length(std::string_view bytes, std::size_t& at, std::size_t& length) {
  if (length < 15) return true;
  for (;;) {
    if (at >= bytes.size() || length > kMostBytes) return false;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    length += byte;
    if (byte < 255) return true;
  }
}

// Unpacks `size` bytes from the LZ4 block at `at`, and returns where the block ends. It ends with bytes that
// stand for themselves.
std::optional<std::size_t> unpack(std::string_view bytes, std::size_t at, std::size_t size,
                                  std::string& out) {
  constexpr std::size_t kLeastMatch = 4;
  out.clear();
  while (at < bytes.size()) {
    const auto token = static_cast<unsigned char>(bytes[at++]);
    std::size_t literals = token >> 4;
    if (!take_length(bytes, at, literals)) return std::nullopt;
    if (at + literals > bytes.size() || out.size() + literals > size) return std::nullopt;
    out.append(bytes.substr(at, literals));
    at += literals;
    if (out.size() == size) return at;
    if (at + 2 > bytes.size()) return std::nullopt;
    const std::size_t back = load_little<std::uint16_t>(bytes, at);
    at += 2;
    std::size_t match = token & 15;
    if (back == 0 || back > out.size() || !take_length(bytes, at, match)) return std::nullopt;
    match += kLeastMatch;
    if (out.size() + match > size) return std::nullopt;
    // A match may reach into the bytes that it makes.
    for (std::size_t i = 0; i < match; ++i) out.push_back(out[out.size() - back]);
  }
  return std::nullopt;
}

class Blocks {
 public:
  Blocks(std::string_view bytes, const std::function<void(const RowVersion&)>& visit)
      : bytes_(bytes), visit_(visit) {}

  TableReading run() {
    TableReading read;
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::size_t size = visit_block(at);
      if (size == 0) {
        ++at;
        continue;
      }
      if (at > read.end) read.gaps.push_back({read.end, at});
      at += size;
      read.end = at;
    }
    return read;
  }

 private:
  // Returns the length of the block at `at`, with its trailer; 0 if there is no block of rows.
  std::size_t visit_block(std::size_t at) {
    const std::string_view rest = bytes_.substr(at);
    const auto plain = plain_block(rest, [&](std::size_t size) { return is_sealed(rest, size, kPlain); });
    if (plain) {
      visit_rows(rest.substr(0, *plain));
      return *plain + kTrailer;
    }
    std::size_t begin = 0;
    const auto unpacked_size = take_varint(rest, begin);
    if (!unpacked_size || *unpacked_size < kOffset || *unpacked_size > kMostBytes) return 0;
    const auto packed = unpack(rest, begin, *unpacked_size, unpacked_);
    if (!packed || !is_sealed(rest, *packed, kLz4)) return 0;
    const auto whole =
        plain_block(std::string_view(unpacked_), [&](std::size_t size) { return size == unpacked_.size(); });
    if (!whole) return 0;
    visit_rows(unpacked_);
    return *packed + kTrailer;
  }

  void visit_rows(std::string_view block) {
    for (Entries entries(block); entries.next();) visit_(entries.version());
  }

  const std::string_view bytes_;
  const std::function<void(const RowVersion&)>& visit_;
  std::string unpacked_;
};

}  // namespace

TableReading read_table(std::string_view bytes, const std::function<void(const RowVersion&)>& visit) {
  return Blocks(bytes, visit).run();
}

}  // namespace holdfast::salvage
