// `holdfast stats` shows rates, ages, sizes and latencies of the engine, or of the queues that are named.
// People read histograms as a few figures in words, and programs read more of them as JSON.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <memory>
#include <string>
#include <vector>

#include "holdfast/statistics.h"
#include "holdfast/time.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/operations_verbs.h"

namespace holdfast::command {
namespace {

Json histogram_json(const Histogram& histogram) {
  return {{"count", histogram.count},
          {"mean", histogram.mean()},
          {"p50", histogram.quantile(0.5)},
          {"p99", histogram.quantile(0.99)},
          {"p999", histogram.quantile(0.999)}};
}

Json rate_json(const Rate& rate) {
  return {{"one_minute", rate.one_minute}, {"five_minutes", rate.five_minutes}};
}

Json store_json(const StoreStatistics& store) {
  return {{"table_bytes", store.table_bytes},
          {"live_data_bytes", store.live_data_bytes},
          {"log_bytes", store.log_bytes},
          {"memtable_bytes", store.memtable_bytes},
          {"block_cache_bytes", store.block_cache_bytes},
          {"block_cache_capacity", store.block_cache_capacity},
          {"pending_compaction_bytes", store.pending_compaction_bytes},
          {"running_flushes", store.running_flushes},
          {"running_compactions", store.running_compactions},
          {"writes_delayed", store.writes_delayed},
          {"writes_stopped", store.writes_stopped}};
}

Json engine_json(const EngineStatistics& engine) {
  return {{"opened_at", format_time(engine.opened_at)},
          {"clock_steps", engine.clock_steps},
          {"clock_offset_us", engine.clock_offset.count()},
          {"queues", engine.queues},
          {"group_calls", histogram_json(engine.group_calls)},
          {"group_bytes", histogram_json(engine.group_bytes)},
          {"buffered_commit_us", histogram_json(engine.buffered_commit)},
          {"fsync_commit_us", histogram_json(engine.fsync_commit)},
          {"free_bytes", engine.free_bytes ? Json(*engine.free_bytes) : Json(nullptr)},
          {"reserve_bytes", engine.reserve_bytes},
          {"store", store_json(engine.store)}};
}

Json arrival_totals_json(const ArrivalTotals& arrivals) {
  Json categories = Json::object();
  for (const auto& [category, count] : arrivals.categories) categories[category] = count;
  return {{"categories", std::move(categories)}, {"other_categories", arrivals.other_categories}};
}

Json queue_json(const std::string& name, const QueueStatistics& queue) {
  return {{"queue", name},
          {"sent_per_second", rate_json(queue.sent)},
          {"delivered_per_second", rate_json(queue.delivered)},
          {"acked_per_second", rate_json(queue.acked)},
          {"dead_lettered_per_second", rate_json(queue.dead_lettered)},
          {"oldest_ready", time_or_null(queue.oldest_ready)},
          {"oldest_leased", time_or_null(queue.oldest_leased)},
          {"next_due", time_or_null(queue.next_due)},
          {"oldest_died_at", time_or_null(queue.oldest_died_at)},
          {"arrivals", arrival_totals_json(queue.arrivals)},
          {"disk_bytes", queue.disk_bytes},
          {"delivery_latency_us", histogram_json(queue.delivery_latency)}};
}

std::string describe(const Histogram& histogram) {
  if (histogram.count == 0) return "none yet";
  return fmt::format("{} times, mean {:.0f}, half below {}, 99 % below {}", histogram.count, histogram.mean(),
                     histogram.quantile(0.5), histogram.quantile(0.99));
}

// Describes a histogram of microseconds.
std::string describe_times(const Histogram& histogram) {
  if (histogram.count == 0) return "none yet";
  const auto span = [](auto micros) { return format_rounded(Duration(static_cast<std::int64_t>(micros))); };
  return fmt::format("{} times, mean {}, half below {}, 99 % below {}", histogram.count,
                     span(histogram.mean()), span(histogram.quantile(0.5)), span(histogram.quantile(0.99)));
}

std::string describe(const std::optional<Timestamp>& time, Timestamp now) {
  return time ? format_age(now - *time) : "-";
}

// Returns a text such as "33 came: 20 timeout, 13 validation"; empty if none came.
std::string describe(const ArrivalTotals& arrivals) {
  std::uint64_t total = arrivals.other_categories;
  std::string kinds;
  const auto add = [&](std::uint64_t count, const std::string& category) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, category);
  };
  for (const auto& [category, count] : arrivals.categories) {
    total += count;
    add(count, category.empty() ? "without a category" : printable(category));
  }
  if (arrivals.other_categories > 0) add(arrivals.other_categories, "others");
  return total == 0 ? "" : fmt::format("{} came: {}", total, kinds);
}

void print(std::ostream& out, const EngineStatistics& engine, Timestamp now) {
  constexpr double kMebibyte = 1 << 20;
  const auto mebibytes = [](std::uint64_t bytes) {
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMebibyte);
  };
  const StoreStatistics& store = engine.store;
  fmt::print(out, "  open for         {}\n", describe(engine.opened_at, now));
  fmt::print(out, "  clock            set {}\n", counted(engine.clock_steps, "time"));
  fmt::print(out, "  queues           {}\n", engine.queues);
  fmt::print(out, "  fsynced commits  {}\n", describe_times(engine.fsync_commit));
  fmt::print(out, "  other commits    {}\n", describe_times(engine.buffered_commit));
  fmt::print(out, "  calls a commit   {}\n", describe(engine.group_calls));
  fmt::print(out, "  bytes a commit   {}\n", describe(engine.group_bytes));
  fmt::print(out, "  disk             {} in tables, {} in logs, {} live; {} free, {} reserved\n",
             mebibytes(store.table_bytes), mebibytes(store.log_bytes), mebibytes(store.live_data_bytes),
             engine.free_bytes ? mebibytes(*engine.free_bytes) : "unknown", mebibytes(engine.reserve_bytes));
  fmt::print(out, "  memory           {} in memtables, {} of {} in the block cache\n",
             mebibytes(store.memtable_bytes), mebibytes(store.block_cache_bytes),
             mebibytes(store.block_cache_capacity));
  fmt::print(out, "  compaction       {} running, {} to do; writes {}\n", store.running_compactions,
             mebibytes(store.pending_compaction_bytes),
             store.writes_stopped   ? "stopped"
             : store.writes_delayed ? "slowed down"
                                    : "not held up");
}

void print(std::ostream& out, const std::string& name, const QueueStatistics& queue, Timestamp now) {
  const auto rate = [](const Rate& r) {
    return fmt::format("{:.1f}/s ({:.1f}/s)", r.one_minute, r.five_minutes);
  };
  fmt::print(out, "{}\n", name);
  fmt::print(out, "  1 min (5 min)    {} sent, {} delivered, {} acked, {} dead-lettered\n", rate(queue.sent),
             rate(queue.delivered), rate(queue.acked), rate(queue.dead_lettered));
  fmt::print(out, "  oldest           {} ready, {} leased\n", describe(queue.oldest_ready, now),
             describe(queue.oldest_leased, now));
  if (const std::string arrivals = describe(queue.arrivals); !arrivals.empty()) {
    fmt::print(out, "  dead letters     {}; the oldest that is here died {} ago\n", arrivals,
               describe(queue.oldest_died_at, now));
  }
  fmt::print(out, "  send to receive  {}\n", describe_times(queue.delivery_latency));
  fmt::print(out, "  disk             {} bytes\n", queue.disk_bytes);
}

Result<void> stats(CommandSession& session, const std::vector<std::string>& queues) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (queues.empty()) {
    const auto statistics = (*broker)->statistics();
    if (!statistics) return tl::unexpected(statistics.error());
    session.json() ? session.print(engine_json(*statistics))
                   : print(session.out(), *statistics, session.now());
  }
  for (const std::string& name : queues) {
    const auto statistics = (*broker)->queue_statistics(name);
    if (!statistics) {
      session.report(statistics.error(), {{"queue", name}});
    } else if (session.json()) {
      session.print(queue_json(name, *statistics));
    } else {
      print(session.out(), name, *statistics, session.now());
    }
  }
  return {};
}

}  // namespace

void add_stats(CLI::App& root, CommandSession& session) {
  auto queues = std::make_shared<std::vector<std::string>>();
  CLI::App& verb = add_verb(root, session, "stats", "Show rates, ages, sizes and latencies",
                            {"holdfast stats", "holdfast stats orders orders-dlq",
                             "holdfast stats orders --json | jq .sent_per_second.one_minute"});
  verb.add_option("queue", *queues, "Queues to show [default: the engine]");
  on_run(verb, session, [queues](CommandSession& s) { return stats(s, *queues); });
}

}  // namespace holdfast::command
