// These calls work on a directory that no engine has open: restore, salvage, verify.
#include <string>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/salvage/gather.h"
#include "engine/salvage/rebuild.h"
#include "engine/services/salt.h"
#include "engine/storage/files/new_directory.h"
#include "engine/storage/rocksdb/rocksdb_backup.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "engine/verify/findings.h"
#include "engine/verify/verify.h"
#include "holdfast/engine.h"

namespace holdfast {
namespace {

// What a newer version wrote may mean something else than it seems to.
Result<void> check_format(const Store& store) {
  const auto row = store.get(Family::kCatalog, keys::kFormatRow);
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return fail(ErrorCode::kCorruption, "the format row is missing");
  return check_format_row(**row);
}

// The restored directory goes on from where the backed-up one was, and that one went on too: what either
// gives out from now on must mean nothing to the other.
Result<void> set_apart(const std::filesystem::path& directory) {
  auto store = open_rocksdb_store(directory, {.create_if_missing = false});
  if (!store) return tl::unexpected(store.error());
  if (auto ok = check_format(**store); !ok) return ok;
  auto row = (*store)->get(Family::kCatalog, keys::kAllocationRow);
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return fail(ErrorCode::kCorruption, "the allocation row is missing");
  auto allocation = decode_allocation_row(**row);
  if (!allocation) return tl::unexpected(allocation.error());
  allocation->lease_salt = random_salt();
  const auto batch = (*store)->new_batch();
  batch->put(Family::kCatalog, keys::kAllocationRow, encode_allocation_row(*allocation));
  const CommitResult result = (*store)->commit(*batch, Durability::kFsync);
  if (result.outcome != CommitOutcome::kCommitted) return fail(ErrorCode::kStorageFailed, result.message);
  return (*store)->close();
}

}  // namespace

Result<std::vector<BackupInfo>> Engine::list_backups(const std::filesystem::path& backups) {
  return read_backups(backups);
}

Result<BackupInfo> Engine::restore(const std::filesystem::path& backups,
                                   const std::filesystem::path& directory, RestoreOptions options) {
  auto restored = NewDirectory::begin(directory, "restore");
  if (!restored) return tl::unexpected(restored.error());
  auto backup = copy_backup(backups, options.number, restored->path());
  if (!backup) return backup;
  if (auto ok = set_apart(restored->path()); !ok) return tl::unexpected(ok.error());
  if (auto ok = restored->finish(); !ok) return tl::unexpected(ok.error());
  return backup;
}

Result<VerifyReport> Engine::verify(const std::filesystem::path& directory) {
  auto store = open_rocksdb_store(directory, {.create_if_missing = false, .read_only = true});
  if (store) return verify_store(**store);
  if (store.error().code != ErrorCode::kCorruption) return tl::unexpected(store.error());
  VerifyReport report;
  verify::Findings(report.findings, report.found)
      .add("unopenable", directory.string(), store.error().message);
  return report;
}

Result<SalvageReport> Engine::salvage(const std::filesystem::path& from, const std::filesystem::path& to) {
  SalvageReport report;
  verify::Findings losses(report.losses, report.found);
  auto scratch = NewDirectory::begin(to, "salvage");
  if (!scratch) return tl::unexpected(scratch.error());
  auto salvaged = NewDirectory::begin(to, "salvaged");
  if (!salvaged) return tl::unexpected(salvaged.error());
  const auto rows = salvage::gather_rows(from, scratch->path(), losses);
  if (!rows) return tl::unexpected(rows.error());
  auto store = open_rocksdb_store(salvaged->path());
  if (!store) return tl::unexpected(store.error());
  if (auto ok = rebuild_store(**rows, **store, random_salt(), report); !ok) return tl::unexpected(ok.error());
  if (auto ok = (*store)->close(); !ok) return tl::unexpected(ok.error());
  if (auto ok = salvaged->finish(); !ok) return tl::unexpected(ok.error());
  return report;
}

}  // namespace holdfast
