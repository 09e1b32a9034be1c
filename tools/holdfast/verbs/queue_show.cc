// holdfast queue list, describe
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "duration.h"
#include "json.h"
#include "queue_verbs.h"
#include "retry.h"
#include "table.h"
#include "text.h"

namespace holdfast::command {
namespace {

Result<void> list(Session& session) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto queues = (*broker)->list_queues();
  if (!queues) return tl::unexpected(queues.error());
  if (session.json()) {
    for (const QueueInfo& info : *queues) session.print(to_json(info));
    return {};
  }
  if (queues->empty()) {
    session.note("no queues");
    return {};
  }
  Table table({{"QUEUE"},
               {"READY", true},
               {"WAITING", true},
               {"LEASED", true},
               {"DEAD", true},
               {"MAX DELIVERIES", true},
               {"DEAD LETTERS TO"}});
  for (const QueueInfo& info : *queues) {
    const QueueCounts& counts = info.counts;
    table.add({info.name, std::to_string(counts.ready), std::to_string(counts.waiting),
               std::to_string(counts.leased), std::to_string(counts.dead),
               std::to_string(info.options.max_deliveries), info.options.dead_letter_queue});
  }
  table.print(session.out());
  return {};
}

void print_info(std::ostream& out, const QueueInfo& info, Timestamp now) {
  const auto& [name, id, created_at, options, counts, bytes, totals, alerts, braked_until, paused] = info;
  fmt::print(out, "{}\n", name);
  fmt::print(out, "  created          {} ago ({})\n", format_age(now - created_at), format_time(created_at));
  fmt::print(out, "  max deliveries   {}\n", options.max_deliveries);
  fmt::print(out, "  dead letters to  {}\n",
             !options.dead_letter_queue.empty() ? options.dead_letter_queue : "nowhere");
  for (const auto& [category, queue] : options.dead_letter_routes) {
    fmt::print(out, "  of {:<14}{}\n", printable(category), queue);
  }
  if (!options.parking_queue.empty()) fmt::print(out, "  parks in         {}\n", options.parking_queue);
  if (const AutoRedrive& policy = options.auto_redrive; policy.every != Duration{0}) {
    std::string categories;
    for (const std::string& category : policy.categories)
      categories += (categories.empty() ? " of " : ", ") + printable(category);
    fmt::print(out, "  auto redrive     every {}, up to {}{}, after {} to {}; parks after {}\n",
               format_duration(policy.every), policy.max, categories, format_duration(policy.backoff),
               format_duration(policy.backoff_max), counted(policy.max_replays, "replay"));
  }
  if (options.brake.deaths_per_minute != 0) {
    fmt::print(out, "  flood brake      above {} deaths a minute{}\n", options.brake.deaths_per_minute,
               braked_until == Timestamp{} ? "" : ", on until " + format_time(braked_until));
  }
  for (const Alert& alert : alerts) {
    fmt::print(out, "  ALERT            {}: {} is {} since {}\n", to_string(alert.severity), alert.rule,
               alert.value, format_time(alert.since));
  }
  fmt::print(out, "  lease            {}\n", format_duration(options.lease));
  fmt::print(out, "  durability       {}\n", to_string(options.durability));
  if (options.delay > Duration{0}) fmt::print(out, "  delay            {}\n", format_duration(options.delay));
  if (options.grouping != Grouping::kNone) {
    fmt::print(out, "  groups           {}\n", to_string(options.grouping));
  }
  if (options.priorities > 1) {
    fmt::print(out, "  priorities       {}, {}\n", options.priorities,
               options.priority_aging > Duration{0} ? "aging by " + format_duration(options.priority_aging)
                                                    : "strict");
  }
  if (options.deduplication != Deduplication::kNone) {
    fmt::print(out, "  deduplication    by {} within {}\n", to_string(options.deduplication),
               format_duration(options.deduplication_window));
  }
  if (options.retry != RetryPolicy{}) fmt::print(out, "  retry            {}\n", format_retry(options.retry));
  if (options.lifetime > Duration{0}) {
    fmt::print(out, "  lifetime         {}\n", format_duration(options.lifetime));
  }
  if (options.time_to_live > Duration{0} || options.on_expiry == ExpiryPolicy::kDrop) {
    fmt::print(out, "  time to live     {}, then {}\n",
               options.time_to_live > Duration{0} ? format_duration(options.time_to_live) : "the message's",
               options.on_expiry == ExpiryPolicy::kDrop ? "dropped" : "dead-lettered");
  }
  if (options.max_length > 0) {
    fmt::print(out, "  max length       {}, then {}\n", options.max_length, to_string(options.on_overflow));
  }
  if (options.max_bytes > 0) {
    fmt::print(out, "  max bytes        {}, then {}\n", options.max_bytes, to_string(options.on_overflow));
  }
  if (options.max_body_bytes != limits::kBodyBytes) {
    fmt::print(out, "  max body bytes   {}\n", options.max_body_bytes);
  }
  if (options.max_leased > 0) fmt::print(out, "  max leased       {}\n", options.max_leased);
  if (options.journal.max_entries > 0) {
    fmt::print(out, "  journal          {} entries{}\n", options.journal.max_entries,
               options.journal.keep > Duration{0} ? ", for " + format_duration(options.journal.keep) : "");
  }
  for (const auto& [tag, value] : options.tags) {
    fmt::print(out, "  tag              {}={}\n", printable(tag), printable(value));
  }
  if (paused != Pause{}) {
    fmt::print(out, "  paused           {}{}{}\n", paused.deliveries ? "deliveries" : "",
               paused.deliveries && paused.sends ? ", " : "", paused.sends ? "sends" : "");
  }
  if (options.dead_letter_queue.empty()) {
    fmt::print(out, "  reject           {}\n", options.discard_rejected ? "discards" : "is refused");
  }
  fmt::print(out, "  now              {} ready, {} waiting, {} leased; {} of them dead letters; {} bytes\n",
             counts.ready, counts.waiting, counts.leased, counts.dead, bytes);
  fmt::print(
      out,
      "  since creation   {} sent, {} delivered, {} acked, {} dead-lettered, {} discarded, {} redriven, "
      "{} parked, {} expired, {} overflowed\n",
      totals.sent, totals.delivered, totals.acked, totals.dead_lettered, totals.discarded, totals.redriven,
      totals.parked, totals.expired, totals.overflowed);
}

Result<void> describe(Session& session, const std::vector<std::string>& queues) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  for (const std::string& queue : queues) {
    auto info = (*broker)->describe_queue(queue);
    if (!info) {
      session.report(info.error(), {{"queue", queue}});
    } else if (session.json()) {
      session.print(to_json(*info));
    } else {
      print_info(session.out(), *info, session.now());
    }
  }
  return {};
}

}  // namespace

void add_queue_list(CLI::App& group, Session& session) {
  CLI::App& verb = add_verb(group, session, "list", "List the queues with their counts",
                            {"holdfast queue list", "holdfast queue list --json | jq .counts.ready"});
  on_run(verb, session, list);
}

void add_queue_describe(CLI::App& group, Session& session) {
  auto queues = std::make_shared<std::vector<std::string>>();
  CLI::App& verb = add_verb(group, session, "describe", "Show a queue's options, counts and totals",
                            {"holdfast queue describe orders orders-dlq"});
  verb.add_option("queue", *queues, "The queues")->required();
  on_run(verb, session, [queues](Session& s) { return describe(s, *queues); });
}

}  // namespace holdfast::command
