// Checks whether a directory holds what its mark says was durable (see DurableMark).
//
// In each function `home` is the path under which the store is opened, and `dir` is the path that errors
// name.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_manifest.h"
#include "holdfast/error.h"

namespace holdfast {

// Returns the path of the file that CURRENT names.
std::filesystem::path current_manifest(const std::filesystem::path& home);

// Returns whether a manifest is at least as new as the mark says: it is the mark's manifest and no shorter,
// or it is a later one.
bool has_manifest(const std::filesystem::path& manifest, const DurableState& mark);

// Returns how many bytes of the current manifest count: all, except for an end that a power loss left of a
// change that was not synced. RocksDB would refuse the manifest with such an end. Nothing depends on a change
// to the manifest before the change is synced, and RocksDB syncs each change before it writes the next one.
std::uint64_t counting_manifest_bytes(const std::filesystem::path& home, const DurableState& mark);
// Cuts off what does not count.
void cut_unsynced_manifest(const std::filesystem::path& home, const DurableState& mark);

// Makes the error for a directory whose manifest has_manifest() refuses.
tl::unexpected<Error> manifest_is_older(const std::filesystem::path& dir, const std::filesystem::path& home,
                                        const DurableState& mark);
// Checks a manifest that has_manifest() accepts: everything that was synced, by the mark, must be there.
// RocksDB passes in silence over a part that was zeroed, to the end of its block, and opens without the
// tables that were named there. kCorruption if a part is damaged.
Result<void> manifest_is_whole(const std::filesystem::path& dir, const std::filesystem::path& home,
                               const DurableState& mark);
// Makes the error for a directory whose last write has the number `last`, which is less than the mark's.
tl::unexpected<Error> writes_are_missing(const std::filesystem::path& dir, const std::filesystem::path& home,
                                         std::uint64_t last, const DurableState& mark);

// Makes the error for a directory whose logs have later writes, but not the write with the number `missing`.
tl::unexpected<Error> writes_are_missing_before_others(const std::filesystem::path& dir,
                                                       const std::filesystem::path& home,
                                                       std::uint64_t missing);

// Returns the number of the first write that the logs must hold: by the mark, the logs that the manifest
// needs begin with this write or with an earlier one. Returns 0 if the mark does not know, or if everything
// that it knows is in tables.
std::uint64_t first_needed_write(const Manifest& manifest, const DurableState& mark);

// Returns kCorruption if a log begins with damage that no power loss leaves. Recovery takes a record that
// seems to end behind the file for the end of the log, and goes on with the next log. If that happens in the
// first log, recovery does not know from which number on writes must be there.
Result<void> logs_begin_whole(const std::filesystem::path& dir, const std::filesystem::path& home);

// Returns whether all damage in the logs looks like pages that a power loss kept from being written.
bool logs_lost_power(const std::filesystem::path& home);

}  // namespace holdfast
