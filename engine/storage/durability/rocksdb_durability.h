// Whether a directory holds what its mark says was durable: see DurableMark.
#pragma once

#include <filesystem>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_manifest.h"
#include "holdfast/error.h"

namespace holdfast {

// The file that CURRENT names.
std::filesystem::path current_manifest(const std::filesystem::path& home);

// Whether a manifest is the one of the mark, and no shorter, or a later one.
bool has_manifest(const std::filesystem::path& manifest, const DurableState& mark);

// Cuts off the end of the manifest if it is what a power loss left of a change that was not synced: RocksDB
// refuses it otherwise. Nothing depends on a change to the manifest before that is synced, and one is synced
// before the next one is written.
void cut_unsynced_manifest(const std::filesystem::path& home, const DurableState& mark);

// Of a directory whose manifest has_manifest() refuses.
tl::unexpected<Error> manifest_is_older(const std::filesystem::path& dir, const std::filesystem::path& home,
                                        const DurableState& mark);
// Of a manifest that has_manifest() takes: whether what was synced of the mark's is there. RocksDB passes
// over a part that was zeroed, to the end of its block, without a word, and opens without the tables that it
// named.
Result<void> manifest_is_whole(const std::filesystem::path& dir, const std::filesystem::path& home,
                               const DurableState& mark);
// Of a directory whose last write has the number `last`, which is less than the mark's.
tl::unexpected<Error> writes_are_missing(const std::filesystem::path& dir, const std::filesystem::path& home,
                                         std::uint64_t last, const DurableState& mark);

// Of a directory whose logs have later writes, but not the one with the number `missing`.
tl::unexpected<Error> writes_are_missing_before_others(const std::filesystem::path& dir,
                                                       const std::filesystem::path& home,
                                                       std::uint64_t missing);

// The number of the write, or of one after it, with which the logs begin that the manifest needs, by the
// mark. 0 if the mark does not know, or if all that it knows of is in tables.
std::uint64_t first_needed_write(const Manifest& manifest, const DurableState& mark);

// Of a directory of which a log begins with damage that no power loss leaves. Recovery takes a record that
// seems to end behind the file for the end of the log, and goes on with the next log; of the first log it
// then knows no number from which on writes must be there.
Result<void> logs_begin_whole(const std::filesystem::path& dir, const std::filesystem::path& home);

// Whether all damage in the logs looks like pages that a power loss kept from being written.
bool logs_lost_power(const std::filesystem::path& home);

}  // namespace holdfast
