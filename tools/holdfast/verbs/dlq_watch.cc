// holdfast dlq watch
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <ostream>

#include "dlq_verbs.h"
#include "duration.h"
#include "table.h"

namespace holdfast::command {
namespace {

struct Arguments {
  std::string queue;
  Duration every = std::chrono::seconds(2);
  bool once = false;
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

Result<void> draw(Session& session, Broker& broker, const std::string& queue) {
  auto info = broker.describe_queue(queue);
  if (!info) return tl::unexpected(info.error());
  auto groups = broker.group_dead_letters(queue, {.by = DeadLetterGrouping::kFingerprint, .max = 10});
  if (!groups) return tl::unexpected(groups.error());
  auto newest = broker.list_dead_letters(queue, {.max = 10, .newest_first = true});
  if (!newest) return tl::unexpected(newest.error());
  const Timestamp now = system_clock().now();
  session.out() << fmt::format("{}  {} dead letters, {} leased\n\n", queue, info->counts.dead,
                               info->counts.leased);
  Table alike({{"ALIKE", true}, {"LAST", true}, {"FINGERPRINT"}, {"CATEGORY", false, 24}, {"REASON"}});
  for (const DeadLetterGroup& group : groups->groups) {
    alike.add({std::to_string(group.count), format_age(now - group.last_died_at), group.value,
               group.sample.record.category, group.sample.record.reason});
  }
  alike.print(session.out());
  session.out() << '\n';
  Table latest(
      {{"SEQ", true}, {"AGE", true}, {"STATUS"}, {"ASSIGNEE", false, 16}, {"SOURCE", false, 24}, {"REASON"}});
  for (const DeadLetter& letter : newest->items) {
    latest.add({std::to_string(static_cast<std::uint64_t>(letter.seq)),
                format_age(now - letter.record.died_at), std::string(to_string(letter.triage.status)),
                letter.triage.assignee, letter.record.source_queue, letter.record.reason});
  }
  latest.print(session.out());
  return {};
}

Result<void> watch(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (arguments.once || isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return draw(session, **broker, arguments.queue);
  }
  const RawTerminal terminal;
  do {
    session.out() << "\x1b[H\x1b[2J";
    if (auto drawn = draw(session, **broker, arguments.queue); !drawn) return drawn;
    session.out() << "\nq quits" << std::flush;
  } while (RawTerminal::wait(arguments.every));
  session.out() << '\n';
  return {};
}

}  // namespace

void add_dlq_watch(CLI::App& group, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(group, session, "watch", "Watch a dead letter queue; q or ctrl-C quits",
                            {"holdfast dlq watch orders-dlq", "holdfast dlq watch orders-dlq --every 10s"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_duration(verb, "--every", arguments->every, "How often it looks [2s]");
  verb.add_flag("--once", arguments->once, "Print it once and leave, as without a terminal");
  on_run(verb, session, [arguments](Session& s) { return watch(s, *arguments); });
}

}  // namespace holdfast::command
