#include "engine/storage/rocksdb/opening/rocksdb_recovery.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/log_continuity.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"

namespace holdfast {
namespace {

rocksdb::Status open_to_read(const ExistingDatabase& existing, rocksdb::DBOptions options, Database& result) {
  const auto& [dir, home, there, mark, first_needed] = existing;
  result.continuity = std::make_unique<LogContinuity>(first_needed);
  options.wal_filter = result.continuity.get();
  rocksdb::DB* db = nullptr;
  const auto status =
      rocksdb::DB::OpenForReadOnly(options, home.path.string(), there.families, &result.handles, &db);
  result.db.reset(db);
  return there.explain(status);
}

rocksdb::Status open_to_write(const ExistingDatabase& existing, rocksdb::DBOptions options,
                              Database& result) {
  const auto& [dir, home, there, mark, first_needed] = existing;
  result.continuity = std::make_unique<LogContinuity>(first_needed);
  options.wal_filter = result.continuity.get();
  rocksdb::DB* db = nullptr;
  const auto status = rocksdb::DB::Open(options, home.path.string(), there.families, &result.handles, &db);
  result.db.reset(db);
  return there.explain(status);
}

// Finds the number of the last write. Recovery looks at the logs and changes nothing. The manifest tells
// which write was the last one when the manifest changed, which may be only in a log. So the manifest's
// number does not count if the logs must have the mark's write. Recovery reads each log from the first one
// that is needed on, so the logs have all writes from the first one that the mark knows to be needed or, if
// it knows none, from the first one in them.
rocksdb::Status find_last_write(const ExistingDatabase& existing, const rocksdb::DBOptions& options,
                                std::uint64_t& last) {
  HOLDFAST_CHECK(existing.mark, "only a mark tells which write must be there");
  Database database;
  auto status = open_to_read(existing, options, database);
  if (!status.ok()) return status;
  const LogContinuity& logged = *database.continuity;
  const std::uint64_t first = existing.first_needed > 0 ? existing.first_needed : logged.first();
  const bool must_be_logged = first > 0 && first <= existing.mark->sequence;
  last = must_be_logged ? std::max(logged.last(), first - 1) : database.db->GetLatestSequenceNumber();
  database.close();
  return status;
}

// Checks the mark before anything is written: recovery would give new writes the numbers of those that are
// missing. If the log does not end with the mark's write, the write may be in a table, which only recovery
// tells.
Result<void> check_mark(const ExistingDatabase& existing, const rocksdb::DBOptions& options) {
  const auto& [dir, home, there, mark, first_needed] = existing;
  if (!mark) return {};
  if (!has_manifest(current_manifest(home.path), *mark)) return manifest_is_older(dir, home.path, *mark);
  if (auto whole = manifest_is_whole(dir, home.path, *mark); !whole) return whole;
  if (auto whole = logs_begin_whole(dir, home.path); !whole) return whole;
  if (last_logged(home.path) >= mark->sequence) return {};
  std::uint64_t last = 0;
  const auto status = find_last_write(existing, options, last);
  if (!status.ok() || last >= mark->sequence) return {};  // opening reports what is wrong
  return writes_are_missing(dir, home.path, last, *mark);
}

// Returns options for a log that recovery refuses, so that everything before its first gap is recovered, if
// nothing that was synced is behind the gap. A power loss leaves gaps of zeros, and only in data that was not
// synced. The mark may be older then, and say less than was synced; what was synced is there all the same. If
// no power was lost, the mark says everything that was synced.
std::optional<rocksdb::DBOptions> options_after_power_loss(const ExistingDatabase& existing,
                                                           rocksdb::DBOptions options) {
  if (!existing.mark || !logs_lost_power(existing.home.path)) return std::nullopt;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  std::uint64_t last = 0;
  const auto status = find_last_write(existing, options, last);
  if (!status.ok() || last < existing.mark->sequence) return std::nullopt;
  return options;
}

}  // namespace

Result<Database> open_existing(const ExistingDatabase& existing, const rocksdb::DBOptions& options,
                               bool read_only) {
  HOLDFAST_CHECK(existing.first_needed == 0 || existing.mark,
                 "only a mark tells which write the logs begin with");
  if (auto held = check_mark(existing, options); !held) return tl::unexpected(held.error());
  Database database;
  const auto open = read_only ? open_to_read : open_to_write;
  auto status = open(existing, options, database);
  if (status.IsCorruption()) {
    if (const auto after = options_after_power_loss(existing, options))
      status = open(existing, *after, database);
  }
  HOLDFAST_CHECK(!status.ok() || database.handles.size() == existing.there.families.size(),
                 "each family of a database that was opened is open");
  if (status.ok()) return database;
  if (const std::uint64_t missing = database.continuity->missing(); status.IsCorruption() && missing > 0)
    return writes_are_missing_before_others(existing.dir, existing.home.path, missing);
  return tl::unexpected(open_error(status, existing.dir));
}

}  // namespace holdfast
