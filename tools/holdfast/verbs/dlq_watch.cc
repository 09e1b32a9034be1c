// holdfast dlq watch
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <ostream>
#include <thread>

#include "dlq_verbs.h"
#include "duration.h"
#include "filter_options.h"
#include "holdfast/client.h"
#include "json.h"
#include "table.h"
#include "text.h"

namespace holdfast::command {
namespace {

struct Arguments {
  std::string queue;
  Duration every = std::chrono::seconds(2);
  bool once = false;
  Redaction redact;
};

volatile std::sig_atomic_t interrupted = 0;

// Keys arrive one by one and unseen; all is put back at the end, also after ctrl-C.
class RawTerminal {
 public:
  RawTerminal() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    changed_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    handler_before_ = std::signal(SIGINT, [](int) { interrupted = 1; });
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (!changed_) return;
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    std::signal(SIGINT, handler_before_);
  }

  // False: the person wants to leave.
  static bool wait(Duration time) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
    if (poll(&input, 1, static_cast<int>(millis)) <= 0) return interrupted == 0;
    char key = 'q';
    return read(STDIN_FILENO, &key, 1) == 1 && key != 'q' && interrupted == 0;
  }

 private:
  termios before_ = {};
  bool changed_ = false;
  void (*handler_before_)(int) = nullptr;
};

constexpr std::size_t kRows = 10;  // of each table

struct Snapshot {
  Timestamp at;
  QueueInfo info;
  DeadLetterGroups groups;
  std::vector<DeadLetter> newest;
};

Result<Snapshot> look(Broker& broker, const Arguments& arguments) {
  const auto& queue = arguments.queue;
  const Redaction& redact = arguments.redact;
  auto info = broker.describe_queue(queue);
  if (!info) return tl::unexpected(info.error());
  auto groups = broker.group_dead_letters(
      queue, {.by = DeadLetterGrouping::kFingerprint, .max = kRows, .redact = redact});
  if (!groups) return tl::unexpected(groups.error());
  auto newest = broker.list_dead_letters(queue, {.max = kRows, .newest_first = true, .redact = redact});
  if (!newest) return tl::unexpected(newest.error());
  return Snapshot{broker.now(), std::move(*info), std::move(*groups), std::move(newest->items)};
}

Json to_json(const Snapshot& seen) {
  Json groups = Json::array();
  for (const DeadLetterGroup& group : seen.groups.groups) {
    groups.push_back({{"fingerprint", group.value},
                      {"count", group.count},
                      {"last_died_at", format_time(group.last_died_at)},
                      {"category", group.sample.record.category},
                      {"reason", group.sample.record.reason}});
  }
  Json newest = Json::array();
  for (const DeadLetter& letter : seen.newest) newest.push_back(command::to_json(letter, false));
  return {{"queue", seen.info.name},       {"at", format_time(seen.at)},
          {"dead", seen.info.counts.dead}, {"leased", seen.info.counts.leased},
          {"groups", std::move(groups)},   {"groups_left_out", seen.groups.left_out},
          {"newest", std::move(newest)}};
}

std::string totals(const Snapshot& seen) {
  return fmt::format("{}  {} in {}, {} leased", seen.info.name, counted(seen.info.counts.dead, "dead letter"),
                     counted(seen.groups.groups.size() + seen.groups.left_out, "group"),
                     seen.info.counts.leased);
}

Table group_table(const Snapshot& seen, Timestamp now) {
  Table table({{"ALIKE", true}, {"LAST", true}, {"FINGERPRINT"}, {"CATEGORY", false, 24}, {"REASON"}});
  for (const DeadLetterGroup& group : seen.groups.groups) {
    table.add({std::to_string(group.count), format_age(now - group.last_died_at), group.value,
               group.sample.record.category, group.sample.record.reason});
  }
  return table;
}

Table newest_table(const Snapshot& seen, Timestamp now) {
  Table table(
      {{"SEQ", true}, {"AGE", true}, {"STATUS"}, {"ASSIGNEE", false, 16}, {"SOURCE", false, 24}, {"REASON"}});
  for (const DeadLetter& letter : seen.newest) {
    table.add({std::to_string(static_cast<std::uint64_t>(letter.seq)),
               format_age(now - letter.record.died_at), std::string(to_string(letter.triage.status)),
               letter.triage.assignee, letter.record.source_queue, letter.record.reason});
  }
  return table;
}

struct Size {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

Size terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace

std::vector<std::string> watch_screen(const std::vector<std::string>& heads,
                                      const std::vector<std::vector<std::string>>& tables, std::size_t rows,
                                      std::size_t columns) {
  std::vector<std::string> screen = heads;
  for (const std::vector<std::string>& table : tables) {
    // An empty line, the titles and at least one row.
    if (table.size() < 2 || screen.size() + 3 > rows) continue;
    screen.emplace_back();
    const std::size_t shown = std::min(table.size(), rows - screen.size());
    screen.insert(screen.end(), table.begin(), table.begin() + static_cast<std::ptrdiff_t>(shown));
  }
  if (screen.size() > rows) screen.resize(rows);
  for (std::string& line : screen) line = printable(line, columns);
  return screen;
}

namespace {

// Looks again and again, beside the thread that draws: a server that says nothing must not stop that.
class Looks {
 public:
  Looks(Broker& broker, const Arguments& arguments, Snapshot first)
      : broker_(broker),
        arguments_(arguments),
        last_(std::move(first)),
        next_at_(system_clock().steady() + arguments.every) {}
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;
  ~Looks() {
    auto* client = dynamic_cast<Client*>(&broker_);
    if (pending_.valid() && client != nullptr) client->close();  // or it would wait for its time to run out
  }

  const Snapshot& last() const { return last_; }

  // Takes what has come, and asks when it is time.
  void advance() {
    const Duration now = system_clock().steady();
    if (pending_.valid() && pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      auto seen = pending_.get();
      trouble_ = seen ? "" : to_string(seen.error());
      if (seen) last_ = std::move(*seen);
      next_at_ = now + arguments_.every;
    }
    if (pending_.valid() || now < next_at_) return;
    asked_at_ = now;
    pending_ = std::async(std::launch::async, [this] { return look(broker_, arguments_); });
  }

  // Empty if what is shown is as new as it should be.
  std::string trouble(Timestamp now, const std::string& place) const {
    const Duration waited = system_clock().steady() - asked_at_;
    const bool silent = pending_.valid() && waited >= std::chrono::seconds(1);
    if (trouble_.empty() && !silent) return {};
    return fmt::format("no answer from {} since {} ({} ago){}{}", place, format_time(last_.at),
                       format_age(now - last_.at), trouble_.empty() ? "" : ": ", trouble_);
  }

 private:
  Broker& broker_;
  const Arguments& arguments_;
  Snapshot last_;
  Duration next_at_;  // by the steady clock, as is the next
  Duration asked_at_{};
  std::string trouble_;  // of the look before
  std::future<Result<Snapshot>> pending_;
};

void draw(std::ostream& out, const Snapshot& seen, const std::string& trouble, Timestamp now) {
  const Size size = terminal_size();
  std::vector<std::string> heads{totals(seen)};
  if (!trouble.empty()) heads.push_back(trouble);
  heads.emplace_back("q quits");
  out << "\x1b[H";
  const auto screen =
      watch_screen(heads, {group_table(seen, now).lines(true), newest_table(seen, now).lines(true)},
                   size.rows, size.columns);
  for (std::size_t i = 0; i < screen.size(); ++i) out << (i == 0 ? "" : "\r\n") << screen[i] << "\x1b[K";
  out << "\x1b[J" << std::flush;
}

Result<void> watch_live(Session& session, Broker& broker, const Arguments& arguments, Snapshot first) {
  constexpr Duration kTick = std::chrono::milliseconds(250);
  const RawTerminal terminal;
  Looks looks(broker, arguments, std::move(first));
  session.out() << "\x1b[2J";
  do {
    looks.advance();
    const Timestamp now = broker.now();
    draw(session.out(), looks.last(), looks.trouble(now, session.place()), now);
  } while (session.out() && RawTerminal::wait(kTick));
  session.out() << '\n';
  return {};
}

void print(std::ostream& out, const Snapshot& seen) {
  out << totals(seen) << '\n';
  for (const Table& table : {group_table(seen, seen.at), newest_table(seen, seen.at)}) {
    out << '\n';
    table.print(out);
  }
}

Result<void> watch(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  for (;;) {
    auto seen = look(**broker, arguments);
    if (!seen) return tl::unexpected(seen.error());
    if (!session.json()) {
      if (!arguments.once && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
        return watch_live(session, **broker, arguments, std::move(*seen));
      print(session.out(), *seen);
      return {};
    }
    session.print(to_json(*seen));
    if (arguments.once || !session.out().flush()) return {};
    std::this_thread::sleep_for(arguments.every);
  }
}

}  // namespace

void add_dlq_watch(CLI::App& group, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(group, session, "watch", "Watch a dead letter queue; q or ctrl-C quits",
               {"holdfast dlq watch orders-dlq", "holdfast dlq watch orders-dlq --json | jq .dead",
                "holdfast dlq watch orders-dlq --every 10s"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_duration(verb, "--every", arguments->every, "How often it looks [2s]");
  verb.add_flag("--once", arguments->once,
                "Print it once and leave, as without a terminal; with --json it goes on otherwise");
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](Session& s) { return watch(s, *arguments); });
}

}  // namespace holdfast::command
