// RocksDB's log records, and the mark beside the database, have this checksum.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

// Returns the CRC-32C (Castagnoli) of the bytes. If other bytes come first, `before` is their CRC-32C, and
// the result is that of all of them.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace holdfast
