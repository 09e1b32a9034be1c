#include "engine/salvage/gather.h"

#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/helpers/units.h"
#include "engine/salvage/latest_versions.h"
#include "engine/salvage/manifest.h"
#include "engine/salvage/table_rows.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/files/directories.h"
#include "engine/storage/rocksdb/environment/rocksdb_lock.h"
#include "engine/storage/rocksdb/rocksdb_store.h"

namespace holdfast::salvage {
namespace {

namespace fs = std::filesystem;

std::string describe(std::size_t begin, std::size_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

// Passes the changes of a logged commit on as versions of rows.
class BatchReading final : public rocksdb::WriteBatch::Handler {
 public:
  using Visit = std::function<Result<void>(std::uint32_t family, const RowVersion& version)>;

  BatchReading(std::uint64_t first, const Visit& visit) : next_(first), visit_(visit) {}

  // Returns the error of `visit`, if that is what ended the reading.
  const Result<void>& outcome() const { return outcome_; }

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    return give(family, RowKind::kValue, key, value);
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return give(family, RowKind::kRemoval, key, {});
  }
  rocksdb::Status SingleDeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return give(family, RowKind::kSingleRemoval, key, {});
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override {
    return give(family, RowKind::kRangeRemoval, begin, end);
  }
  void LogData(const rocksdb::Slice& /*blob*/) override {}
  rocksdb::Status MarkBeginPrepare(bool /*unprepared*/) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice& /*id*/) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkCommit(const rocksdb::Slice& /*id*/) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkRollback(const rocksdb::Slice& /*id*/) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkNoop(bool /*empty*/) override { return rocksdb::Status::OK(); }

 private:
  rocksdb::Status give(std::uint32_t family, RowKind kind, const rocksdb::Slice& key,
                       const rocksdb::Slice& value) {
    outcome_ = visit_(family, {key.ToStringView(), next_++, kind, value.ToStringView()});
    return outcome_ ? rocksdb::Status::OK() : rocksdb::Status::Aborted();
  }

  std::uint64_t next_;
  const Visit& visit_;
  Result<void> outcome_;
};

// These properties of a table tell its family.
struct TableProperties {
  std::string family;                     // its name; empty if nothing tells it
  std::optional<std::uint32_t> number;    // RocksDB's
  std::optional<std::size_t> data_bytes;  // how far the table's rows go
};

// Returns whether rows of a family that this version does not know are lost with it. RocksDB's own family has
// none.
bool is_foreign(const std::string& family) {
  return !family.empty() && family != rocksdb::kDefaultColumnFamilyName && !parse_family(family);
}

// Finds the name of a known family in a table that RocksDB cannot open. The keys of its properties share
// their beginnings, so "rocksdb.column.family.name" is there as "name", after the length of what it shares,
// its own length and the value's.
std::string find_family(std::string_view bytes) {
  constexpr std::string_view kName = "name";
  const std::string head{static_cast<char>(std::string_view("rocksdb.column.family.").size()),
                         static_cast<char>(kName.size())};
  const std::size_t at = bytes.rfind(head);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = bytes.substr(at + head.size());
  if (rest.size() < 1 + kName.size() || !rest.substr(1).starts_with(kName)) return {};
  const std::string_view name = rest.substr(1 + kName.size(), static_cast<unsigned char>(rest[0]));
  return parse_family(name) ? std::string(name) : std::string();
}

TableProperties read_properties(const fs::path& table, std::string_view bytes) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  if (!reader.Open(table.string()).ok()) return {find_family(bytes), std::nullopt, std::nullopt};
  const auto properties = reader.GetTableProperties();
  return {properties->column_family_name, static_cast<std::uint32_t>(properties->column_family_id),
          properties->data_size};
}

class Gathering {
 public:
  Gathering(const fs::path& from, LatestVersions rows, verify::Findings& losses)
      : from_(from),
        manifest_(read_manifest(from)),
        mark_(read_mark(from)),
        rows_(std::move(rows)),
        losses_(losses) {
    for (std::uint32_t i = 0; i < kFamilyCount; ++i) families_[i + 1] = static_cast<Family>(i);
    for (const auto& [number, name] : manifest_.families) {
      note_family(number, parse_family(name));
      if (is_foreign(name)) foreign_.insert(number);
    }
  }

  Result<std::unique_ptr<Reader>> run() {
    if (auto ok = gather_tables(); !ok) return tl::unexpected(ok.error());
    if (auto ok = gather_logs(); !ok) return tl::unexpected(ok.error());
    return rows_.finish();
  }

 private:
  // Notes which family has a number. The families of this version are numbered in their order. A family that
  // a later version added to an older directory has another number, and its tables know it.
  void note_family(std::uint32_t number, std::optional<Family> family) {
    if (!family) return;
    std::erase_if(families_, [&](const auto& entry) { return entry.second == *family; });
    families_[number] = *family;
  }

  void lose(const fs::path& file, const std::string& what) {
    losses_.add("file_lost", file.filename().string(), what);
  }

  // Gathers each table that is part of the database or, without a whole manifest, each table that is there.
  Result<void> gather_tables() {
    std::error_code error;
    std::map<std::uint64_t, fs::path> tables;
    for (const fs::path& file : files_of(from_, error)) {
      if (file.extension() == ".sst") tables.emplace(file_number(file), file);
    }
    if (error) lose(from_, "its files cannot all be listed: " + error.message());
    if (manifest_.whole) {
      for (const auto& [number, facts] : manifest_.tables) {
        if (!tables.contains(number)) lose(std::to_string(number) + ".sst", "the table is not there");
      }
      std::erase_if(tables, [&](const auto& table) { return !manifest_.tables.contains(table.first); });
    }
    for (const auto& [number, table] : tables) {
      if (auto ok = gather_table(number, table); !ok) return ok;
    }
    return {};
  }

  Result<void> gather_table(std::uint64_t number, const fs::path& table) {
    const std::string bytes = read_bytes(table);
    TableProperties properties = read_properties(table, bytes);
    if (properties.number) note_family(*properties.number, parse_family(properties.family));
    const auto known = manifest_.tables.find(number);
    const ManifestTable* facts = known == manifest_.tables.end() ? nullptr : &known->second;
    if (!properties.data_bytes) lose(table, "its index, properties or end are damaged");
    if (properties.family.empty() && facts != nullptr) {
      const auto name = manifest_.families.find(facts->family);
      if (name != manifest_.families.end()) properties.family = name->second;
    }
    const std::optional<Family> family = parse_family(properties.family);
    if (!family) {
      lose_rows_of(table, properties.family);
      return {};
    }
    Result<void> outcome;
    const TableReading read = read_table(bytes, [&](const RowVersion& version) {
      if (outcome) outcome = take(*family, version, manifest_.whole ? facts : nullptr);
    });
    report_gaps(table, read, properties.data_bytes);
    return outcome;
  }

  // Reports a table of which nothing is brought over.
  void lose_rows_of(const fs::path& table, const std::string& family) {
    if (family.empty())
      lose(table, "the file does not say which family its rows belong to, so none of them was copied");
    if (is_foreign(family)) lose(table, "this version does not know its family '" + family + "'");
  }

  // Reports the gaps among the rows. What follows the rows has no rows, so nothing is lost there.
  void report_gaps(const fs::path& table, const TableReading& read, std::optional<std::size_t> data_bytes) {
    for (const TableGap& gap : read.gaps) {
      const std::size_t end = std::min(gap.end, data_bytes.value_or(gap.end));
      if (gap.begin < end) lose(table, describe(gap.begin, end) + " are damaged");
    }
    if (read.end < data_bytes.value_or(0)) lose(table, describe(read.end, *data_bytes) + " are damaged");
  }

  // `span` is what the manifest says about the version's table, or null if that is not known.
  Result<void> take(Family family, const RowVersion& version, const ManifestTable* span) {
    if (version.kind != RowKind::kRangeRemoval) return rows_.offer(family, version);
    if (span == nullptr) {
      rows_.remove_range(family, version.key, version.value, version.sequence, false);
      return {};
    }
    rows_.remove_range(family, std::max<std::string_view>(version.key, span->first),
                       std::min<std::string_view>(version.value, span->end), version.sequence, true);
    return {};
  }

  Result<void> gather_logs() {
    // The logs must begin with this write; 0 if the first write is not known.
    const std::uint64_t first = mark_ ? first_needed_write(manifest_, *mark_) : 0;
    last_ = first > 0 ? first - 1 : 0;
    for (const fs::path& log : logs_in(from_)) {
      if (!is_needed(file_number(log))) continue;
      if (auto ok = gather_log(log); !ok) return ok;
    }
    // Rows in tables may have lost their numbers, so only a manifest says how far they go. It may know the
    // number of a write that is only in a log.
    const std::uint64_t in_tables = first > 0 ? first - 1 : manifest_.last_write;
    if (manifest_.whole) report_missing(std::max(last_, in_tables) + 1, UINT64_MAX, "the logs");
    return {};
  }

  bool is_needed(std::uint64_t log) const {
    return !manifest_.whole || std::ranges::any_of(manifest_.first_logs,
                                                   [log](const auto& first) { return first.second <= log; });
  }

  Result<void> gather_log(const fs::path& log) {
    const std::string bytes = read_bytes(log);
    Result<void> outcome;
    const auto gaps = read_log(bytes, [&](const LoggedCommit& commit) {
      if (!outcome) return;
      if (last_ > 0 && commit.first > last_ + 1)
        report_missing(last_ + 1, commit.first, log.filename().string());
      last_ = std::max(last_, commit.last);
      outcome = gather_commit(file_number(log), commit);
    });
    if (std::exchange(has_foreign_rows_, false))
      lose(log, "this version does not know the family of some of its rows");
    // Gaps of zeros are what a power loss leaves of data that was not synced. If a gap was synced, writes are
    // missing.
    for (const LogGap& gap : gaps) {
      if (!gap.unwritten) lose(log, describe(gap.begin, gap.end) + " are damaged");
    }
    return outcome;
  }

  // What the manifest leaves to the logs came after everything in the tables that it names, so a range
  // removal counts for rows without numbers too. Without a manifest, such rows may have been put after the
  // removal, and stay.
  Result<void> take_logged(Family family, const RowVersion& version) {
    if (version.kind != RowKind::kRangeRemoval) return rows_.offer(family, version);
    rows_.remove_range(family, version.key, version.value, version.sequence, manifest_.whole);
    return {};
  }

  Result<void> gather_commit(std::uint64_t log, const LoggedCommit& commit) {
    const BatchReading::Visit visit = [&](std::uint32_t number, const RowVersion& version) -> Result<void> {
      has_foreign_rows_ = has_foreign_rows_ || foreign_.contains(number);
      const auto family = families_.find(number);
      const auto first = manifest_.first_logs.find(number);
      const bool is_in_tables = manifest_.whole && first != manifest_.first_logs.end() && log < first->second;
      if (family == families_.end() || is_in_tables) return {};
      return take_logged(family->second, version);
    };
    BatchReading reading(commit.first, visit);
    const auto status = rocksdb::WriteBatch(std::string(commit.batch)).Iterate(&reading);
    if (!status.ok() && reading.outcome())
      lose(std::to_string(log) + ".log", "a commit cannot be decoded: " + status.ToString());
    return reading.outcome();
  }

  // Reports that the writes from `first` on and before `end` are missing, as far as they were fsynced.
  void report_missing(std::uint64_t first, std::uint64_t end, const std::string& where) {
    const std::uint64_t synced = mark_ ? mark_->sequence + 1 : 0;
    end = std::min(end, synced);
    if (first >= end) return;
    losses_.add("writes_lost", where,
                format_count(end - first, "write") + " that had been fsynced, from number " +
                    std::to_string(first) + " on: not there");
  }

  const fs::path from_;
  const Manifest manifest_;
  const std::optional<DurableState> mark_;
  LatestVersions rows_;
  verify::Findings& losses_;
  std::map<std::uint32_t, Family> families_;  // by RocksDB's numbers
  std::set<std::uint32_t> foreign_;           // RocksDB's numbers of families that this version does not know
  bool has_foreign_rows_ = false;             // the log that is read has rows of these
  std::uint64_t last_ = 0;                    // the last write that was found in the logs
};

// Returns whether a file belongs to a store. A manifest alone is a store too: one that lost all its logs
// before it had a table, which the mark tells.
bool is_of_a_store(const fs::path& file) {
  return file.extension() == ".sst" || file.extension() == ".log" ||
         file.filename().string().starts_with("MANIFEST-");
}

Result<void> check_source(const fs::path& from) {
  std::error_code error;
  const auto files = files_of(from, error);
  const bool any = std::ranges::any_of(files, is_of_a_store);
  if (any) return {};
  return fail(ErrorCode::kInvalidArgument, "there is nothing of a Holdfast store in '" + from.string() + "'");
}

}  // namespace

Result<std::unique_ptr<Reader>> gather_rows(const fs::path& from, const fs::path& scratch,
                                            verify::Findings& losses) {
  std::error_code error;
  if (!fs::is_directory(from, error))
    return fail(ErrorCode::kInvalidArgument, "'" + from.string() + "' is not a directory");
  DirectoryLock lock;
  if (auto locked = lock.take(fs::canonical(from, error), from); !locked)
    return tl::unexpected(locked.error());
  if (auto ok = check_source(from); !ok) return tl::unexpected(ok.error());
  auto store = open_rocksdb_store(scratch);
  if (!store) return tl::unexpected(store.error());
  return Gathering(from, LatestVersions(std::move(*store)), losses).run();
}

}  // namespace holdfast::salvage
