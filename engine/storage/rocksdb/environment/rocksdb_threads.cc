#include "engine/storage/rocksdb/environment/rocksdb_threads.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include <array>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "engine/sync/mutex.h"

namespace holdfast {
namespace {

// A database uses these thread pools. All databases of a process share them.
constexpr std::array kPools = {rocksdb::Env::Priority::HIGH, rocksdb::Env::Priority::LOW};

rocksdb::Options options_of_keeper(rocksdb::Env& memory) {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  rocksdb::Options options;
  options.env = &memory;
  options.create_if_missing = true;
  options.info_log_level = rocksdb::InfoLogLevel::FATAL_LEVEL;
  options.max_background_jobs = kBackgroundJobs;
  options.max_file_opening_threads = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.write_buffer_size = 64 << 10;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

rocksdb::Status or_no_thread(const std::function<rocksdb::Status()>& ask) {
  try {
    return ask();
  } catch (const std::system_error& error) {
    return rocksdb::Status::TryAgain("no thread can be started", error.what());
  }
}

// Starts the threads by an empty database in memory, which stays: RocksDB ends its timer's thread with the
// last database, and starts it for the next one. A database that found no thread stays too, since closing it
// would wait for that thread, which ends the process. A pool that found no thread keeps the size that it was
// asked for, and would look for the thread again during a write, so it gets its previous size back.
Result<void> start_rocksdb_threads() {
  static sync::Mutex mutex;
  static bool started HOLDFAST_GUARDED_BY(mutex) = false;
  static std::vector<rocksdb::DB*>& kept HOLDFAST_GUARDED_BY(mutex) = *new std::vector<rocksdb::DB*>;
  const sync::Lock lock(mutex);
  if (started) return {};
  static rocksdb::Env& memory = *rocksdb::NewMemEnv(rocksdb::Env::Default());
  std::array<int, kPools.size()> sizes{};
  for (std::size_t i = 0; i < kPools.size(); ++i) sizes[i] = memory.GetBackgroundThreads(kPools[i]);
  rocksdb::DB* keeper = nullptr;
  const auto name = "/threads-" + std::to_string(kept.size());
  const auto status =
      or_no_thread([&] { return rocksdb::DB::Open(options_of_keeper(memory), name, &keeper); });
  if (keeper != nullptr) kept.push_back(keeper);
  started = status.ok();
  if (started) return {};
  for (std::size_t i = 0; i < kPools.size(); ++i) memory.SetBackgroundThreads(sizes[i], kPools[i]);
  return fail(ErrorCode::kOverloaded, "RocksDB cannot be started: " + status.ToString());
}

}  // namespace holdfast
