#include "engine/storage/durability/rocksdb_durability.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/base/helpers/units.h"
#include "engine/storage/durability/rocksdb_log.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

std::string names_of_logs(const fs::path& home) {
  std::string names;
  for (const fs::path& log : logs_in(home)) {
    names += (names.empty() ? "" : ", ") + log.filename().string() + " with " + std::to_string(size_of(log)) +
             " bytes";
  }
  return names.empty() ? "no log is there" : "the logs that are there: " + names;
}

std::string name_of(const fs::path& dir) { return "data directory '" + dir.string() + "'"; }

}  // namespace

fs::path current_manifest(const fs::path& home) {
  std::string name = read_bytes(home / "CURRENT");
  if (name.ends_with('\n')) name.pop_back();
  return home / name;
}

bool has_manifest(const fs::path& manifest, const DurableState& mark) {
  const std::uint64_t number = file_number(manifest);
  return number > mark.manifest || (number == mark.manifest && size_of(manifest) >= mark.manifest_bytes);
}

std::uint64_t counting_manifest_bytes(const fs::path& home, const DurableState& mark) {
  const fs::path manifest = current_manifest(home);
  const std::uint64_t all = size_of(manifest);
  if (file_number(manifest) != mark.manifest) return all;
  const std::uint64_t begin = mark.manifest_bytes / kLogBlock * kLogBlock;
  const std::string bytes = read_bytes(manifest, begin);
  const auto gaps = read_records(bytes, [](std::string_view) {});
  if (gaps.size() != 1 || gaps.front().end != bytes.size()) return all;
  const std::uint64_t counting = begin + gaps.front().begin;
  return counting < mark.manifest_bytes ? all : counting;
}

void cut_unsynced_manifest(const fs::path& home, const DurableState& mark) {
  const fs::path manifest = current_manifest(home);
  const std::uint64_t counting = counting_manifest_bytes(home, mark);
  std::error_code ignored;  // opening reports it then
  if (counting < size_of(manifest)) fs::resize_file(manifest, counting, ignored);
}

tl::unexpected<Error> manifest_is_older(const fs::path& dir, const fs::path& home, const DurableState& mark) {
  const fs::path manifest = current_manifest(home);
  return fail(ErrorCode::kCorruption,
              name_of(dir) + ": the file CURRENT names " + manifest.filename().string() + ", which has " +
                  std::to_string(size_of(manifest)) + " bytes; by the file " + kMarkName +
                  ", the manifest was number " + std::to_string(mark.manifest) + " and had at least " +
                  std::to_string(mark.manifest_bytes) + " bytes");
}

Result<void> manifest_is_whole(const fs::path& dir, const fs::path& home, const DurableState& mark) {
  const fs::path manifest = current_manifest(home);
  if (file_number(manifest) != mark.manifest) return {};
  const auto gaps = read_records(read_bytes(manifest, 0, mark.manifest_bytes), [](std::string_view) {});
  if (gaps.empty()) return {};
  return fail(ErrorCode::kCorruption, name_of(dir) + ": " + manifest.filename().string() +
                                          " is damaged: bytes " + std::to_string(gaps.front().begin) +
                                          " to " + std::to_string(gaps.front().end) + " are no record");
}

tl::unexpected<Error> writes_are_missing(const fs::path& dir, const fs::path& home, std::uint64_t last,
                                         const DurableState& mark) {
  HOLDFAST_CHECK(last < mark.sequence, "a write that the mark knows is missing");
  return fail(ErrorCode::kCorruption,
              name_of(dir) + ": a write-ahead log was deleted, emptied or cut: by the file " + kMarkName +
                  ", writes up to number " + std::to_string(mark.sequence) +
                  " were fsynced, and the last one that is there is number " + std::to_string(last) + ": " +
                  format_count(mark.sequence - last, "write") + (mark.sequence - last == 1 ? " is" : " are") +
                  " missing (" + names_of_logs(home) + ")");
}

tl::unexpected<Error> writes_are_missing_before_others(const fs::path& dir, const fs::path& home,
                                                       std::uint64_t missing) {
  return fail(ErrorCode::kCorruption,
              name_of(dir) + ": a write-ahead log was deleted, emptied, cut or zeroed: write number " +
                  std::to_string(missing) + " is missing, and later ones are there (" + names_of_logs(home) +
                  ")");
}

std::uint64_t first_needed_write(const Manifest& manifest, const DurableState& mark) {
  if (!manifest.whole) return 0;
  const auto needed = std::ranges::lower_bound(mark.logs, manifest.first_needed_log(), {}, &LogBegin::log);
  return needed == mark.logs.end() ? 0 : needed->first;
}

Result<void> logs_begin_whole(const fs::path& dir, const fs::path& home) {
  for (const fs::path& log : logs_in(home)) {
    const auto gaps = read_log(read_bytes(log, 0, kLogBlock), [](const LoggedCommit&) {});
    if (gaps.empty() || gaps.front().begin != 0 || gaps.front().unwritten) continue;
    return fail(ErrorCode::kCorruption, name_of(dir) + ": the write-ahead log " + log.filename().string() +
                                            " is damaged where it begins (" + names_of_logs(home) + ")");
  }
  return {};
}

bool logs_lost_power(const fs::path& home) {
  return std::ranges::all_of(logs_in(home), [](const fs::path& log) {
    return std::ranges::all_of(read_log(read_bytes(log), [](const LoggedCommit&) {}), &LogGap::unwritten);
  });
}

}  // namespace holdfast
