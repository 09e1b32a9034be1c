// `holdfast status` shows on one page how everything is. Queues that need somebody come first, and what the
// token may not see is left out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/time.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/operations_verbs.h"
#include "tools/cli/views/live_screen.h"
#include "tools/cli/views/looks.h"
#include "tools/cli/views/queue_text.h"
#include "tools/cli/views/status_text.h"

namespace holdfast::command {
namespace {

struct StatusArguments {
  bool watch = false;
  Duration every = std::chrono::seconds(2);
  std::size_t max = 20;
};

template <class T>
Result<IfShown<T>> if_shown(Result<T> asked) {
  if (asked) return IfShown<T>(*std::move(asked));
  const ErrorCode code = asked.error().code;
  if (code == ErrorCode::kPermissionDenied || code == ErrorCode::kQueueNotFound) return IfShown<T>();
  return tl::unexpected(asked.error());
}

// Puts queues that need somebody's attention first, and then those with the most messages.
void put_in_order(std::vector<QueueInfo>& queues, Timestamp now) {
  std::ranges::stable_sort(queues, [now](const QueueInfo& a, const QueueInfo& b) {
    const auto rank = [now](const QueueInfo& info) {
      const QueueCounts& counts = info.counts;
      return std::pair(!note_on(info, now).text.empty(), counts.ready + counts.waiting + counts.leased);
    };
    return rank(a) > rank(b);
  });
}

std::size_t keep(std::vector<QueueInfo>& queues, std::size_t max) {
  const std::size_t left_out = queues.size() - std::min(queues.size(), max);
  queues.resize(queues.size() - left_out);
  return left_out;
}

Result<void> look_at_queues(Broker& broker, std::vector<QueueInfo> queues, StatusSeen& seen) {
  for (QueueInfo& info : queues) {
    auto statistics = if_shown(broker.queue_statistics(info.name));
    if (!statistics) return tl::unexpected(statistics.error());
    seen.queues.push_back({std::move(info), *std::move(statistics)});
  }
  return {};
}

Result<void> look_at_dead_letters(Broker& broker, std::vector<QueueInfo> queues, StatusSeen& seen) {
  for (QueueInfo& info : queues) {
    auto statistics = if_shown(broker.dead_letter_statistics(info.name, {.hours = 1, .days = 0}));
    if (!statistics) return tl::unexpected(statistics.error());
    const auto groups = if_shown(broker.group_dead_letters(
        info.name,
        {.by = DeadLetterGrouping::kStatus, .filter = {.status = DeadLetterStatus::kNew}, .max = 1}));
    if (!groups) return tl::unexpected(groups.error());
    IfShown<std::uint64_t> fresh;
    if (*groups) fresh = (*groups)->groups.empty() ? 0 : (*groups)->groups.front().count;
    seen.dead_letter_queues.push_back({std::move(info), *std::move(statistics), fresh});
  }
  return {};
}

Result<StatusSeen> look(Broker& broker, std::size_t max) {
  auto engine = if_shown(broker.statistics());
  if (!engine) return tl::unexpected(engine.error());
  auto queues = broker.list_queues();
  if (!queues) return tl::unexpected(queues.error());
  auto tasks = broker.list_redrives();
  if (!tasks) return tl::unexpected(tasks.error());
  StatusSeen seen{.at = broker.now(), .engine = *std::move(engine)};
  seen.queue_count = queues->size();
  std::erase_if(*tasks, [](const TaskStatus& task) { return task.state != TaskState::kRunning; });
  seen.running = *std::move(tasks);

  const std::vector<std::string> names = dead_letter_queues(*queues);
  put_in_order(*queues, seen.at);
  for (const QueueInfo& info : *queues) {
    const std::string note = note_on(info, seen.at).text;
    if (!note.empty()) seen.noted.push_back(fmt::format("{} ({})", info.name, note));
  }
  std::vector<QueueInfo> dead;
  std::vector<QueueInfo> others;
  for (QueueInfo& info : *queues) {
    const bool serves = std::ranges::find(names, info.name) != names.end();
    (serves ? dead : others).push_back(std::move(info));
  }
  seen.queues_left_out = keep(others, max);
  seen.dead_letter_queues_left_out = keep(dead, max);
  if (auto ok = look_at_queues(broker, std::move(others), seen); !ok) return tl::unexpected(ok.error());
  if (auto ok = look_at_dead_letters(broker, std::move(dead), seen); !ok) return tl::unexpected(ok.error());
  return seen;
}

Json without_options(const QueueInfo& info) {
  Json object = to_json(info);
  object.erase("options");
  return object;
}

Json engine_summary_json(const EngineStatistics& engine) {
  return {{"opened_at", format_time(engine.opened_at)},
          {"disk_bytes", engine.store.table_bytes + engine.store.log_bytes},
          {"free_bytes", engine.free_bytes ? Json(*engine.free_bytes) : Json(nullptr)},
          {"reserve_bytes", engine.reserve_bytes},
          {"writes_delayed", engine.store.writes_delayed},
          {"writes_stopped", engine.store.writes_stopped},
          {"archive_failure", engine.archive_failure.empty() ? Json(nullptr) : Json(engine.archive_failure)}};
}

// Leaves out what the token may not see.
Json status_json(const StatusSeen& seen) {
  Json queues = Json::array();
  for (const auto& [info, statistics] : seen.queues) {
    Json object = without_options(info);
    if (statistics) {
      object["oldest_ready"] = time_or_null(statistics->oldest_ready);
      object["sent_per_second"] = statistics->sent.one_minute;
      object["acked_per_second"] = statistics->acked.one_minute;
      object["dead_lettered_per_second"] = statistics->dead_lettered.one_minute;
    }
    queues.push_back(std::move(object));
  }
  Json dead = Json::array();
  for (const auto& [info, statistics, fresh] : seen.dead_letter_queues) {
    Json object = without_options(info);
    if (fresh) object["new"] = *fresh;
    if (statistics) {
      object["oldest_died_at"] = time_or_null(statistics->oldest_died_at);
      object["arrivals_last_minute"] = statistics->arrivals_last_minute;
    }
    dead.push_back(std::move(object));
  }
  Json running = Json::array();
  for (const TaskStatus& task : seen.running) running.push_back(to_json(task));
  Json object{{"at", format_time(seen.at)},
              {"queue_count", seen.queue_count},
              {"queues", std::move(queues)},
              {"queues_left_out", seen.queues_left_out},
              {"dead_letter_queues", std::move(dead)},
              {"dead_letter_queues_left_out", seen.dead_letter_queues_left_out},
              {"redrives", std::move(running)}};
  if (seen.engine) object.update(engine_summary_json(*seen.engine));
  return object;
}

void watch(CommandSession& session, Broker& broker, const StatusArguments& arguments, StatusSeen first) {
  constexpr Duration kTick = std::chrono::milliseconds(250);
  Looks<StatusSeen> looks(broker, arguments.every, std::move(first));
  LiveScreen live(session);
  while (!live.is_over()) {
    looks.advance([&broker, max = arguments.max] { return look(broker, max); }, false);
    const Screen screen = live.screen();
    std::vector<std::string> page =
        status_page_within(looks.last(), session.place(), screen, screen.rows - 1);
    const Timestamp now = broker.now();
    const std::string trouble = looks.trouble(now, session.place());
    page.push_back(styled(printable(trouble.empty() ? "q quits" : trouble, screen.columns),
                          trouble.empty() ? Style::kFaint : Style::kBad, screen.color));
    live.draw(page);
    for (const Key& key : live.wait(kTick)) {
      if (key.is("q") || key.kind == Key::Kind::kEscape) return;
    }
  }
}

Result<void> status(CommandSession& session, const StatusArguments& arguments) {
  if (arguments.watch && !session.json() && !LiveScreen::is_possible(session))
    return fail(ErrorCode::kInvalidArgument, "--watch needs a terminal, or --json");
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  for (;;) {
    auto seen = look(**broker, arguments.max);
    if (!seen) return tl::unexpected(seen.error());
    if (!session.json() && arguments.watch) {
      watch(session, **broker, arguments, *std::move(seen));
      return {};
    }
    if (session.json()) {
      session.print(status_json(*seen));
    } else {
      for (const std::string& line : status_page(*seen, session.place(), session.screen()))
        session.out() << line << '\n';
    }
    if (!arguments.watch || !session.json() || !session.out().flush()) return {};
    std::this_thread::sleep_for(arguments.every);
  }
}

}  // namespace

void add_status(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<StatusArguments>();
  CLI::App& verb =
      add_verb(root, session, "status",
               "Show on one page how everything is: queues, dead letters, alerts, pauses, redrives, disk",
               {"holdfast status", "holdfast status --watch",
                "holdfast status --json | jq '.dead_letter_queues[].new'"});
  verb.add_flag("--watch", arguments->watch,
                "Refresh the page until q or ctrl-C. Without a terminal, only with --json");
  add_every(verb, arguments->every);
  verb.add_option("-n,--max", arguments->max, "At most this many queues, and dead letter queues [20]")
      ->check(check_positive);
  on_run(verb, session, [arguments](CommandSession& s) { return status(s, *arguments); });
}

}  // namespace holdfast::command
