// The checksum of RocksDB's log records, and of the mark beside the database.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

// CRC-32C (Castagnoli).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace holdfast
