// Converts statistics. The other side may be of another version and count in fewer or more buckets: those
// that are missing are zero, and those beyond ours are left out.
#include "schema/convert/dead_letters/dead_letter_statistics_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"

namespace holdfast::convert {
namespace {

void write(const Histogram& from, wire::Histogram::Builder to) {
  auto buckets = to.initBuckets(Histogram::kBuckets);
  for (unsigned i = 0; i < Histogram::kBuckets; ++i) buckets.set(i, from.buckets[i]);
  to.setCount(from.count);
  to.setSum(from.sum);
}

Histogram read(wire::Histogram::Reader from) {
  Histogram result;
  const auto buckets = from.getBuckets();
  for (unsigned i = 0; i < buckets.size() && i < Histogram::kBuckets; ++i) result.buckets[i] = buckets[i];
  result.count = from.getCount();
  result.sum = from.getSum();
  return result;
}

void write(const Rate& from, wire::Rate::Builder to) {
  to.setOneMinute(from.one_minute);
  to.setFiveMinutes(from.five_minutes);
}

Rate read(wire::Rate::Reader from) {
  return {.one_minute = from.getOneMinute(), .five_minutes = from.getFiveMinutes()};
}

void write(const StoreStatistics& from, wire::Store::Builder to) {
  to.setTable(from.table_bytes);
  to.setLiveData(from.live_data_bytes);
  to.setLog(from.log_bytes);
  to.setMemtable(from.memtable_bytes);
  to.setBlockCache(from.block_cache_bytes);
  to.setBlockCacheCapacity(from.block_cache_capacity);
  to.setPendingCompaction(from.pending_compaction_bytes);
  to.setRunningFlushes(from.running_flushes);
  to.setRunningCompactions(from.running_compactions);
  to.setWritesDelayed(from.writes_delayed);
  to.setWritesStopped(from.writes_stopped);
}

StoreStatistics read(wire::Store::Reader from) {
  return {.table_bytes = from.getTable(),
          .live_data_bytes = from.getLiveData(),
          .log_bytes = from.getLog(),
          .memtable_bytes = from.getMemtable(),
          .block_cache_bytes = from.getBlockCache(),
          .block_cache_capacity = from.getBlockCacheCapacity(),
          .pending_compaction_bytes = from.getPendingCompaction(),
          .running_flushes = from.getRunningFlushes(),
          .running_compactions = from.getRunningCompactions(),
          .writes_delayed = from.getWritesDelayed(),
          .writes_stopped = from.getWritesStopped()};
}

}  // namespace

void write(const Result<EngineStatistics>& from, wire::StatisticsReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setOpenedAtMicros(micros(from->opened_at));
  ok.setQueues(from->queues);
  write(from->group_calls, ok.initGroupCalls());
  write(from->group_bytes, ok.initGroupBytes());
  write(from->buffered_commit, ok.initBufferedCommit());
  write(from->fsync_commit, ok.initFsyncCommit());
  if (from->free_bytes) ok.getFreeBytes().setBytes(*from->free_bytes);
  ok.setReserveBytes(from->reserve_bytes);
  ok.setClockSteps(from->clock_steps);
  ok.setClockOffsetMicros(from->clock_offset.count());
  ok.setArchiveFailure(from->archive_failure);
  ok.setArchiveFailingSinceMicros(micros(from->archive_failing_since));
  write(from->store, ok.initStore());
}

Result<EngineStatistics> read(wire::StatisticsReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  const auto free = ok.getFreeBytes();
  return EngineStatistics{
      .opened_at = timestamp(ok.getOpenedAtMicros()),
      .queues = ok.getQueues(),
      .group_calls = read(ok.getGroupCalls()),
      .group_bytes = read(ok.getGroupBytes()),
      .buffered_commit = read(ok.getBufferedCommit()),
      .fsync_commit = read(ok.getFsyncCommit()),
      .free_bytes = free.isBytes() ? std::optional<std::uint64_t>(free.getBytes()) : std::nullopt,
      .reserve_bytes = ok.getReserveBytes(),
      .clock_steps = ok.getClockSteps(),
      .clock_offset = Duration(ok.getClockOffsetMicros()),
      .archive_failure = string(ok.getArchiveFailure()),
      .archive_failing_since = timestamp(ok.getArchiveFailingSinceMicros()),
      .store = read(ok.getStore())};
}

void write(const Result<QueueStatistics>& from, wire::QueueStatisticsReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  write(from->sent, ok.initSent());
  write(from->delivered, ok.initDelivered());
  write(from->acked, ok.initAcked());
  write(from->dead_lettered, ok.initDeadLettered());
  write_time(from->oldest_ready, ok.getOldestReady());
  write_time(from->oldest_leased, ok.getOldestLeased());
  write_time(from->next_due, ok.getNextDue());
  ok.setDiskBytes(from->disk_bytes);
  write(from->delivery_latency, ok.initDeliveryLatency());
  write_time(from->oldest_died_at, ok.getOldestDied());
  write(from->arrivals, ok.initArrivals());
}

Result<QueueStatistics> read(wire::QueueStatisticsReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return QueueStatistics{.sent = read(ok.getSent()),
                         .delivered = read(ok.getDelivered()),
                         .acked = read(ok.getAcked()),
                         .dead_lettered = read(ok.getDeadLettered()),
                         .oldest_ready = read_time(ok.getOldestReady()),
                         .oldest_leased = read_time(ok.getOldestLeased()),
                         .next_due = read_time(ok.getNextDue()),
                         .oldest_died_at = read_time(ok.getOldestDied()),
                         .arrivals = read(ok.getArrivals()),
                         .disk_bytes = ok.getDiskBytes(),
                         .delivery_latency = read(ok.getDeliveryLatency())};
}

}  // namespace holdfast::convert
