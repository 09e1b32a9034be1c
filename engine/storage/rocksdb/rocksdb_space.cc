#include "engine/storage/rocksdb/rocksdb_space.h"

#include <rocksdb/env.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/storage/files/directories.h"
#include "engine/storage/rocksdb/environment/rocksdb_lock.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"

namespace holdfast {
namespace {

std::uint64_t bytes_of_logs(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : files_of(directory, error)) {
    const auto size = file.extension() == ".log" ? std::filesystem::file_size(file, error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

bool make_room_if_short(const Home& home, rocksdb::Env& env, Ballast& ballast) {
  DirectoryLock lock;
  std::uint64_t free = 0;
  if (home.is_new || !lock.take(home.path, home.path)) return false;
  if (!ballast.is_wanted()) {
    ballast.let_go();
    return false;
  }
  return env.GetFreeSpace(home.path.string(), &free).ok() &&
         ballast.let_go_if_short(free, bytes_of_logs(home.path));
}

RocksdbSpace::RocksdbSpace(rocksdb::DB& db, const RocksdbFamilies& families,
                           const rocksdb::ColumnFamilyOptions& options, std::unique_ptr<Ballast> ballast,
                           bool compactions_are_deferred)
    : db_(db),
      families_(families),
      options_(options),
      ballast_(std::move(ballast)),
      deferred_compactions_(compactions_are_deferred) {}

// The logs are as large as the write buffer and the last commit, or larger while what they hold is being
// flushed, so their size is looked up after each half of a write buffer.
void RocksdbSpace::before_write(std::uint64_t bytes) {
  const std::uint64_t write_buffer = options_.target_file_size_base;
  logged_ += bytes;
  if (logged_ <= write_buffer / 2) return;
  logged_ = 0;
  std::uint64_t free = 0;
  if (!db_.GetEnv()->GetFreeSpace(db_.GetName(), &free).ok()) return;
  ballast_->before_write(
      free, [this] { return bytes_of_logs(db_.GetName()); }, bytes);
  is_announced_ = true;
}

void RocksdbSpace::after_write() {
  if (is_announced_) ballast_->written();
  is_announced_ = false;
}

std::optional<rocksdb::Status> RocksdbSpace::start_deferred_compactions() {
  return deferred_compactions_.start_if_room(db_, families_);
}

Result<std::uint64_t> RocksdbSpace::free() const {
  std::uint64_t bytes = 0;
  const auto ask = [&] { return db_.GetEnv()->GetFreeSpace(db_.GetName(), &bytes); };
  rocksdb::Status status = ask();
  std::optional<std::uint64_t> logs;  // listed once, by the first caller
  const auto size_of_logs = [&] {
    if (!logs) logs = bytes_of_logs(db_.GetName());
    return *logs;
  };
  if (status.ok() && ballast_->look(bytes, size_of_logs)) status = ask();
  if (!status.ok()) return tl::unexpected(storage_error(status, "asking for free space"));
  // What a compaction has read may stay until another one has ended, which was asked for and chose its tables
  // earlier. The engine's reserve has room for as much as the first level may have.
  const std::uint64_t reserved = options_.max_bytes_for_level_base;
  const std::uint64_t one = compaction_room(db_, families_, options_.max_compaction_bytes);
  deferred_compactions_.note_space(bytes, one);
  const std::uint64_t room = 2 * one;
  return bytes - std::min(bytes, room - std::min(room, reserved) +
                                     (ballast_->is_wanted() ? ballast_->lacking(size_of_logs()) : 0));
}

}  // namespace holdfast
