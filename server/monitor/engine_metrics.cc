// The engine's metrics begin with its health, which is known even after a failed write. The rest is what the
// engine no longer tells then.
#include "server/monitor/metrics.h"

namespace holdfast::server {
namespace {

constexpr Family::Cut kGroupSizes{.scale = 1, .first = 1, .last = 15};              // 1..32767 calls
constexpr Family::Cut kGroupBytes{.scale = 1, .first = 8, .last = 28};              // 255 B..268 MB
constexpr Family::Cut kCommitTimes{.scale = kMicrosecond, .first = 4, .last = 24};  // 15 us to 17 s

void add_gauge(const char* name, const char* help, double value, Families& families) {
  Family family = gauge(name, help);
  family.add(value);
  std::move(family).move_to(families);
}

void add_commits(const EngineStatistics& statistics, Families& families) {
  Family calls = histogram("holdfast_commit_calls", "Calls that shared a commit");
  calls.add(statistics.group_calls, kGroupSizes);
  std::move(calls).move_to(families);
  Family bytes = histogram("holdfast_commit_bytes", "Bytes of a commit");
  bytes.add(statistics.group_bytes, kGroupBytes);
  std::move(bytes).move_to(families);
  Family times = histogram("holdfast_commit_seconds", "Time that a commit took, with fsync or buffered");
  times.add(statistics.fsync_commit, kCommitTimes, {{"durability", "fsync"}});
  times.add(statistics.buffered_commit, kCommitTimes, {{"durability", "buffered"}});
  std::move(times).move_to(families);
}

void add_archive(const ArchiveHealth& health, Families& families) {
  Family failing =
      gauge("holdfast_archive_failing", "1 while dead letters whose retention is over cannot be archived");
  failing.add(health.last ? 0 : 1);
  std::move(failing).move_to(families);
  Family written =
      counter("holdfast_archived_total", "Dead letters archived and then deleted, or about to be");
  written.add(static_cast<double>(health.written));
  std::move(written).move_to(families);
  Family failures =
      counter("holdfast_archive_failures_total", "Batches of dead letters that were not archived");
  failures.add(static_cast<double>(health.failures));
  std::move(failures).move_to(families);
}

void add_store(const StoreStatistics& store, Families& families) {
  const auto count = [&](const char* name, const char* help, std::uint64_t value) {
    add_gauge(name, help, static_cast<double>(value), families);
  };
  count("holdfast_store_table_bytes", "Table files", store.table_bytes);
  count("holdfast_store_live_data_bytes", "Approximate size after a full compaction", store.live_data_bytes);
  count("holdfast_store_log_bytes", "The write-ahead log", store.log_bytes);
  count("holdfast_store_memtable_bytes", "Memory for changes that are not in tables yet",
        store.memtable_bytes);
  count("holdfast_store_block_cache_bytes", "Memory of the block cache", store.block_cache_bytes);
  count("holdfast_store_block_cache_capacity_bytes", "What the block cache may take",
        store.block_cache_capacity);
  count("holdfast_store_pending_compaction_bytes", "Approximate size of what waits for compaction",
        store.pending_compaction_bytes);
  count("holdfast_store_running_flushes", "Flushes under way", store.running_flushes);
  count("holdfast_store_running_compactions", "Compactions under way", store.running_compactions);
  count("holdfast_store_writes_delayed", "1 while writes are slowed down for compaction",
        store.writes_delayed ? 1 : 0);
  count("holdfast_store_writes_stopped", "1 while writes wait for compaction", store.writes_stopped ? 1 : 0);
}

}  // namespace

Result<void> add_engine_families(Engine& engine, Families& families) {
  const auto add = [&](const char* name, const char* help, double value) {
    add_gauge(name, help, value, families);
  };
  const Health health = engine.health();
  add("holdfast_writable", "1 as long as the engine writes", health.writes ? 1 : 0);
  add("holdfast_sends_accepted", "0 when the device is down to its reserve", health.has_space ? 1 : 0);
  if (health.free_bytes) {
    add("holdfast_free_bytes", "Free space on the device of the data directory",
        static_cast<double>(*health.free_bytes));
  }
  add("holdfast_free_reserve_bytes", "Free space below which sends are refused",
      static_cast<double>(health.reserve_bytes));
  add_archive(engine.archive_health(), families);
  const auto statistics = engine.statistics();
  if (!statistics) return tl::unexpected(statistics.error());
  const double opened_at = static_cast<double>(statistics->opened_at.time_since_epoch().count());
  add("holdfast_opened_time_seconds", "When the engine was opened, since the Unix epoch",
      opened_at * kMicrosecond);
  add("holdfast_clock_offset_seconds",
      "How far the wall clock is ahead of the engine's time, which follows it",
      static_cast<double>(statistics->clock_offset.count()) * kMicrosecond);
  Family steps =
      counter("holdfast_clock_steps_total", "How often the wall clock was set, by a second or more");
  steps.add(static_cast<double>(statistics->clock_steps));
  std::move(steps).move_to(families);
  add("holdfast_queues", "Number of queues", static_cast<double>(statistics->queues));
  add_commits(*statistics, families);
  add_store(statistics->store, families);
  return {};
}

}  // namespace holdfast::server
