// Reads the rows of a RocksDB table block by block, past what is damaged, and without its index, properties
// or footer: where a block ends follows from what is in it, and its checksum says whether that is so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace holdfast::salvage {

// As RocksDB numbers them.
enum class RowKind : std::uint8_t { kRemoval = 0, kValue = 1, kSingleRemoval = 7, kRangeRemoval = 15 };

// One version of a row. The latest is the one with the highest number.
struct RowVersion {
  std::string_view key;
  std::uint64_t sequence = 0;  // 0 in old tables, where no other version can be
  RowKind kind = RowKind::kValue;
  std::string_view value;  // of a range removal, its end
};

struct TableGap {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct TableReading {
  std::vector<TableGap> gaps;  // before and between the blocks that are whole
  std::size_t end = 0;         // of the last of these; what follows are filters and the index, if it is sound
};

// Visits what is in the blocks that are whole.
TableReading read_table(std::string_view bytes, const std::function<void(const RowVersion&)>& visit);

}  // namespace holdfast::salvage
