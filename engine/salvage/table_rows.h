// Reads the rows of a RocksDB table block by block, past damaged parts, and without the table's index,
// properties or footer: where a block ends follows from its content, and its checksum says whether that is
// right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace holdfast::salvage {

// RocksDB gives the kinds of rows these numbers.
enum class RowKind : std::uint8_t { kRemoval = 0, kValue = 1, kSingleRemoval = 7, kRangeRemoval = 15 };

// A RowVersion is one version of a row. The version with the highest number is the latest.
struct RowVersion {
  std::string_view key;
  std::uint64_t sequence = 0;  // 0 in old tables, where no other version can be
  RowKind kind = RowKind::kValue;
  std::string_view value;  // the end of the range in a range removal
};

struct TableGap {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct TableReading {
  std::vector<TableGap> gaps;  // before and between the whole blocks
  // `end` is the end of the last whole block. If the index is sound, only filters and the index follow.
  std::size_t end = 0;
};

// Visits the rows in the whole blocks, and returns where the gaps are.
TableReading read_table(std::string_view bytes, const std::function<void(const RowVersion&)>& visit);

}  // namespace holdfast::salvage
