// The checksum of RocksDB's log records, and of the mark beside the database.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

// Returns the CRC-32C (Castagnoli) of the bytes.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace holdfast
