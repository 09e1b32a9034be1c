#include "tools/cli/views/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "holdfast/time.h"
#include "tools/cli/progress.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/views/queue_text.h"

namespace holdfast::command {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

// Adds what a person has to know about the engine as a whole.
void add_engine(const StatusSeen& seen, const std::string& place, const Screen& screen,
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
    add(fmt::format("archiving has failed for {}, so retention deletes nothing: {}",
                    format_rounded(seen.at - engine.archive_failing_since), engine.archive_failure),
        Style::kBad);
  }
}

// Section is a table of the page.
struct Section {
  TableLines shown;
  std::size_t left_out;  // rows that --max left out

  std::size_t rows() const { return shown.lines.size() - 1; }
  // Returns the lines around the rows: a blank line, the titles, and perhaps a note about columns that were
  // left out.
  std::size_t around() const { return shown.left_out.empty() ? 2 : 3; }
  // Returns how many lines the section wants for its rows, and for how many more there are. It may get fewer.
  std::size_t wanted() const { return rows() + (left_out > 0 ? 1 : 0); }
};

// Returns how many of the lines that it wants each section gets. Sections that want few lines get all of
// them, and the others get equally many.
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

// Adds the section in `share` lines, not counting the lines around its rows.
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
      fmt::format("... and {} more: {}", more, whole ? "--max" : "a taller terminal or --max shows them");
  page.push_back(screen.is_terminal() ? printable(text, screen.columns) : text);
}

constexpr const char* kUnknown = "-";

std::string age_or_none(const std::optional<Timestamp>& since, Timestamp now) {
  return since ? format_age(now - *since) : kUnknown;
}

Table queue_table(const StatusSeen& seen) {
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

Table dead_letter_table(const StatusSeen& seen) {
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

Table task_table(const StatusSeen& seen) {
  Table table({{"REDRIVE", true},
               {"QUEUE"},
               {"TO", false, 2},
               {"PROGRESS"},
               {"STARTED", true, 1},
               {"ACTOR", false, 3}});
  for (const TaskStatus& task : seen.running) {
    table.add({std::to_string(static_cast<std::uint64_t>(task.id)), task.queue, destination_text(task),
               progress_bar(task), format_age(seen.at - task.started_at), task.actor});
  }
  return table;
}

void add_noted(const StatusSeen& seen, const Screen& screen, std::vector<std::string>& page) {
  if (seen.noted.empty()) return;
  const std::string line = fmt::format("{} need{} a look: {}", seen.noted.size(),
                                       seen.noted.size() == 1 ? "s" : "", fmt::join(seen.noted, ", "));
  page.push_back(styled(printable(line, screen.columns), Style::kWarning, screen.color));
}

std::vector<Section> sections_of(const StatusSeen& seen, const Screen& screen) {
  std::vector<Section> sections;
  const auto add = [&](const Table& table, std::size_t left_out) {
    if (!table.empty()) sections.push_back({table.lines(screen), left_out});
  };
  add(queue_table(seen), seen.queues_left_out);
  add(dead_letter_table(seen), seen.dead_letter_queues_left_out);
  add(task_table(seen), 0);
  return sections;
}

}  // namespace

std::vector<std::string> status_page(const StatusSeen& seen, const std::string& place, const Screen& screen) {
  std::vector<std::string> page;
  add_engine(seen, place, screen, page);
  for (const Section& section : sections_of(seen, screen)) add(section, section.wanted(), screen, page);
  return page;
}

std::vector<std::string> status_page_within(const StatusSeen& seen, const std::string& place,
                                            const Screen& screen, std::size_t lines) {
  std::vector<std::string> page;
  add_engine(seen, place, screen, page);
  add_noted(seen, screen, page);
  const std::vector<Section> sections = sections_of(seen, screen);
  const std::vector<std::size_t> each = shares(sections, lines - std::min(lines, page.size()));
  for (std::size_t i = 0; i < sections.size(); ++i) add(sections[i], each[i], screen, page);
  page.resize(std::min(page.size(), lines));
  return page;
}

}  // namespace holdfast::command
