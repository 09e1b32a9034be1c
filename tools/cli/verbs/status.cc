// holdfast status
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/duration_text.h"
#include "holdfast/statistics.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/json.h"
#include "tools/cli/progress.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/operations_verbs.h"
#include "tools/cli/views/live_screen.h"
#include "tools/cli/views/looks.h"
#include "tools/cli/views/queue_text.h"

namespace holdfast::command {
namespace {

struct Arguments {
  bool watch = false;
  Duration every = std::chrono::seconds(2);
  std::size_t max = 20;
};

// What a token may not see is empty, and so is what is of a queue that was deleted meanwhile.
template <class T>
using IfShown = std::optional<T>;

struct QueueSeen {
  QueueInfo info;
  IfShown<QueueStatistics> statistics;
};

struct DeadLettersSeen {
  QueueInfo info;
  IfShown<DeadLetterStatistics> statistics;
  IfShown<std::uint64_t> fresh;  // of status new
};

struct Seen {
  Timestamp at{};
  IfShown<EngineStatistics> engine;
  std::vector<QueueSeen> queues = {};
  std::vector<DeadLettersSeen> dead_letter_queues = {};
  std::vector<TaskStatus> running = {};
  std::vector<std::string> noted = {};  // "orders (paused: sends)": of all queues, those to look at
  std::size_t queue_count = 0;
  std::size_t queues_left_out = 0;
  std::size_t dead_letter_queues_left_out = 0;
};

template <class T>
Result<IfShown<T>> if_shown(Result<T> asked) {
  if (asked) return IfShown<T>(*std::move(asked));
  const ErrorCode code = asked.error().code;
  if (code == ErrorCode::kPermissionDenied || code == ErrorCode::kQueueNotFound) return IfShown<T>();
  return tl::unexpected(asked.error());
}

// Those first that somebody should look at, then those with the most messages.
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

Result<void> look_at_queues(Broker& broker, std::vector<QueueInfo> queues, Seen& seen) {
  for (QueueInfo& info : queues) {
    auto statistics = if_shown(broker.queue_statistics(info.name));
    if (!statistics) return tl::unexpected(statistics.error());
    seen.queues.push_back({std::move(info), *std::move(statistics)});
  }
  return {};
}

Result<void> look_at_dead_letters(Broker& broker, std::vector<QueueInfo> queues, Seen& seen) {
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

Result<Seen> look(Broker& broker, std::size_t max) {
  auto engine = if_shown(broker.statistics());
  if (!engine) return tl::unexpected(engine.error());
  auto queues = broker.list_queues();
  if (!queues) return tl::unexpected(queues.error());
  auto tasks = broker.list_redrives();
  if (!tasks) return tl::unexpected(tasks.error());
  Seen seen{.at = broker.now(), .engine = *std::move(engine)};
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

Json time_or_null(const std::optional<Timestamp>& time) {
  return time ? Json(format_time(*time)) : Json(nullptr);
}

Json without_options(const QueueInfo& info) {
  Json object = command::to_json(info);
  object.erase("options");
  return object;
}

Json to_json(const EngineStatistics& engine) {
  return {{"opened_at", format_time(engine.opened_at)},
          {"disk_bytes", engine.store.table_bytes + engine.store.log_bytes},
          {"free_bytes", engine.free_bytes ? Json(*engine.free_bytes) : Json(nullptr)},
          {"reserve_bytes", engine.reserve_bytes},
          {"writes_delayed", engine.store.writes_delayed},
          {"writes_stopped", engine.store.writes_stopped},
          {"archive_failure", engine.archive_failure.empty() ? Json(nullptr) : Json(engine.archive_failure)}};
}

// What a token may not see is not there.
Json to_json(const Seen& seen) {
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
  for (const TaskStatus& task : seen.running) running.push_back(command::to_json(task));
  Json object{{"at", format_time(seen.at)},
              {"queue_count", seen.queue_count},
              {"queues", std::move(queues)},
              {"queues_left_out", seen.queues_left_out},
              {"dead_letter_queues", std::move(dead)},
              {"dead_letter_queues_left_out", seen.dead_letter_queues_left_out},
              {"redrives", std::move(running)}};
  if (seen.engine) object.update(to_json(*seen.engine));
  return object;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

// What a person has to know of the whole.
void add_engine(const Seen& seen, const std::string& place, const Screen& screen,
                std::vector<std::string>& page) {
  const auto add = [&](const std::string& line, Style style) {
    const std::string shown = screen.is_terminal() ? printable(line, screen.columns) : printable(line);
    page.push_back(styled(shown, style, screen.color));
  };
  const std::string queues = counted(seen.queue_count, "queue");
  if (!seen.engine) return add(fmt::format("{}  {}", place, queues), Style::kTitle);
  const EngineStatistics& engine = *seen.engine;
  add(fmt::format("{}  open for {}, {}", place, format_rounded(seen.at - engine.opened_at), queues),
      Style::kTitle);
  const bool full = engine.free_bytes && *engine.free_bytes < engine.reserve_bytes;
  add(fmt::format("disk  {} used, {} free, {} of it kept free{}",
                  bytes_text(engine.store.table_bytes + engine.store.log_bytes),
                  engine.free_bytes ? bytes_text(*engine.free_bytes) : "unknown",
                  bytes_text(engine.reserve_bytes), full ? ": SENDS ARE REFUSED" : ""),
      full ? Style::kBad : Style::kPlain);
  if (engine.store.writes_stopped || engine.store.writes_delayed) {
    add(fmt::format("writes are {}: compaction falls behind",
                    engine.store.writes_stopped ? "held up" : "slowed down"),
        Style::kWarning);
  }
  if (!engine.archive_failure.empty()) {
    add(fmt::format("the archive fails for {}, and retention deletes nothing: {}",
                    format_rounded(seen.at - engine.archive_failing_since), engine.archive_failure),
        Style::kBad);
  }
}

// A table of the page.
struct Section {
  TableLines shown;
  std::size_t left_out;  // rows, by --max

  std::size_t rows() const { return shown.lines.size() - 1; }
  // A blank line, the titles, and what is said of columns.
  std::size_t around() const { return shown.left_out.empty() ? 2 : 3; }
  // Lines of it that may be fewer: the rows, and how many more there are.
  std::size_t wanted() const { return rows() + (left_out > 0 ? 1 : 0); }
};

// How many of the lines that it wants each section gets: those that want few get all of it, the others alike.
std::vector<std::size_t> shares(const std::vector<Section>& sections, std::size_t room) {
  for (const Section& section : sections) room -= std::min(room, section.around());
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sections[i].wanted(); });
  std::vector<std::size_t> shares(sections.size());
  for (std::size_t served = 0; served < order.size(); ++served) {
    const std::size_t fair = room / (order.size() - served);
    shares[order[served]] = std::min(sections[order[served]].wanted(), fair);
    room -= shares[order[served]];
  }
  return shares;
}

// In so many lines, but for those around.
void add(const Section& section, std::size_t share, const Screen& screen, std::vector<std::string>& page) {
  const bool whole = section.wanted() <= share;
  const std::size_t rows = whole ? section.rows() : share - std::min<std::size_t>(share, 1);
  const std::size_t more = section.rows() - rows + section.left_out;
  page.emplace_back();
  page.insert(page.end(), section.shown.lines.begin(),
              section.shown.lines.begin() + static_cast<std::ptrdiff_t>(rows + 1));
  if (!section.shown.left_out.empty()) {
    const std::string text = left_out_text(section.shown.left_out, kAllColumns, screen);
    page.push_back(styled(text, Style::kFaint, screen.color));
  }
  if (more == 0) return;
  const std::string text =
      fmt::format("... and {} more: {}", more, whole ? "--max" : "a higher terminal has them, or --max");
  page.push_back(screen.is_terminal() ? printable(text, screen.columns) : text);
}

constexpr const char* kUnknown = "-";

std::string age_or_none(const std::optional<Timestamp>& since, Timestamp now) {
  return since ? format_age(now - *since) : kUnknown;
}

Table queue_table(const Seen& seen) {
  Table table({{"QUEUE"},
               {"READY", true},
               {"OLDEST", true},
               {"WAITING", true, 3},
               {"LEASED", true, 2},
               {"SENT/S", true, 4},
               {"ACKED/S", true, 4},
               {"DIED/S", true, 5},
               {"NOTE", false, 1}});
  for (const auto& [info, statistics] : seen.queues) {
    const auto rate = [&statistics = statistics](Rate QueueStatistics::*of) -> std::string {
      return statistics ? fmt::format("{:.1f}", ((*statistics).*of).one_minute) : kUnknown;
    };
    table.add({info.name, std::to_string(info.counts.ready),
               statistics ? age_or_none(statistics->oldest_ready, seen.at) : kUnknown,
               std::to_string(info.counts.waiting), std::to_string(info.counts.leased),
               rate(&QueueStatistics::sent), rate(&QueueStatistics::acked),
               rate(&QueueStatistics::dead_lettered), note_on(info, seen.at)});
  }
  return table;
}

Table dead_letter_table(const Seen& seen) {
  Table table({{"DEAD LETTER QUEUE"},
               {"DEAD", true},
               {"NEW", true},
               {"OLDEST", true},
               {"LAST MINUTE", true, 3},
               {"THIS HOUR", true, 4},
               {"NOTE", false, 1}});
  for (const auto& [info, statistics, fresh] : seen.dead_letter_queues) {
    const auto number = [](const auto& there, std::uint64_t value) -> std::string {
      return there ? std::to_string(value) : kUnknown;
    };
    const std::uint64_t this_hour =
        statistics && !statistics->hours.empty() ? statistics->hours.back().total : 0;
    table.add(
        {info.name, std::to_string(info.counts.dead),
         Cell(number(fresh, fresh.value_or(0)), fresh.value_or(0) > 0 ? Style::kWarning : Style::kPlain),
         statistics ? age_or_none(statistics->oldest_died_at, seen.at) : kUnknown,
         number(statistics, statistics ? statistics->arrivals_last_minute : 0), number(statistics, this_hour),
         note_on(info, seen.at)});
  }
  return table;
}

Table task_table(const Seen& seen) {
  Table table({{"REDRIVE", true},
               {"QUEUE"},
               {"TO", false, 2},
               {"PROGRESS"},
               {"STARTED", true, 1},
               {"ACTOR", false, 3}});
  for (const TaskStatus& task : seen.running) {
    table.add({std::to_string(static_cast<std::uint64_t>(task.id)), task.queue,
               task.to.empty() ? "origin" : task.to, progress_bar(task),
               format_age(seen.at - task.started_at), task.actor});
  }
  return table;
}

void add_noted(const Seen& seen, const Screen& screen, std::vector<std::string>& page) {
  if (seen.noted.empty()) return;
  const std::string line = fmt::format("{} need{} a look: {}", seen.noted.size(),
                                       seen.noted.size() == 1 ? "s" : "", fmt::join(seen.noted, ", "));
  page.push_back(styled(printable(line, screen.columns), Style::kWarning, screen.color));
}

std::vector<Section> sections_of(const Seen& seen, const Screen& screen) {
  std::vector<Section> sections;
  const auto add = [&](const Table& table, std::size_t left_out) {
    if (!table.empty()) sections.push_back({table.lines(screen), left_out});
  };
  add(queue_table(seen), seen.queues_left_out);
  add(dead_letter_table(seen), seen.dead_letter_queues_left_out);
  add(task_table(seen), 0);
  return sections;
}

// However long that is.
std::vector<std::string> page_of(const Seen& seen, const std::string& place, const Screen& screen) {
  std::vector<std::string> page;
  add_engine(seen, place, screen, page);
  for (const Section& section : sections_of(seen, screen)) add(section, section.wanted(), screen, page);
  return page;
}

// In so many lines. What needs somebody comes first, and the tables share what is left.
std::vector<std::string> page_within(const Seen& seen, const std::string& place, const Screen& screen,
                                     std::size_t lines) {
  std::vector<std::string> page;
  add_engine(seen, place, screen, page);
  add_noted(seen, screen, page);
  const std::vector<Section> sections = sections_of(seen, screen);
  const std::vector<std::size_t> each = shares(sections, lines - std::min(lines, page.size()));
  for (std::size_t i = 0; i < sections.size(); ++i) add(sections[i], each[i], screen, page);
  page.resize(std::min(page.size(), lines));
  return page;
}

void watch(CommandSession& session, Broker& broker, const Arguments& arguments, Seen first) {
  constexpr Duration kTick = std::chrono::milliseconds(250);
  Looks<Seen> looks(broker, arguments.every, std::move(first));
  LiveScreen live(session);
  while (!live.is_over()) {
    looks.advance([&broker, max = arguments.max] { return look(broker, max); }, false);
    const Screen screen = live.screen();
    std::vector<std::string> page = page_within(looks.last(), session.place(), screen, screen.rows - 1);
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

Result<void> status(CommandSession& session, const Arguments& arguments) {
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
      session.print(to_json(*seen));
    } else {
      for (const std::string& line : page_of(*seen, session.place(), session.screen()))
        session.out() << line << '\n';
    }
    if (!arguments.watch || !session.json() || !session.out().flush()) return {};
    std::this_thread::sleep_for(arguments.every);
  }
}

}  // namespace

void add_status(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(root, session, "status",
               "Show on one page how everything is: queues, dead letters, alerts, pauses, redrives, disk",
               {"holdfast status", "holdfast status --watch",
                "holdfast status --json | jq '.dead_letter_queues[].new'"});
  verb.add_flag("--watch", arguments->watch,
                "Look again and again; q or ctrl-C quits. Without a terminal only with --json");
  add_duration(verb, "--every", arguments->every, "How often it looks [2s]");
  verb.add_option("-n,--max", arguments->max, "At most this many queues, and dead letter queues [20]")
      ->check(check_positive);
  on_run(verb, session, [arguments](CommandSession& s) { return status(s, *arguments); });
}

}  // namespace holdfast::command
