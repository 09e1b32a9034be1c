// `holdfast dlq watch` is a live display of a dead letter queue in which a person can open letters and change
// them with keys. Without a terminal it prints what it sees.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <ostream>
#include <thread>

#include "holdfast/limits.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/views/live_screen.h"
#include "tools/cli/views/looks.h"
#include "tools/cli/views/watch_view.h"

namespace holdfast::command {
namespace {

struct WatchArguments {
  std::string queue;
  Duration every = std::chrono::seconds(2);
  bool once = false;
  FilterArguments filter;
  std::string actor;
  Redaction redact;
};

constexpr std::size_t kRows = 10;         // the rows of each list in a single printout
constexpr std::size_t kGroupsMax = 1000;  // the most groups through which a person may scroll

// Reads the newest letters that are wanted, in as many pages as needed.
Result<void> look_at_letters(Broker& broker, const WatchArguments& arguments, const WatchRequest& request,
                             WatchSeen& seen) {
  ListDeadLettersOptions options{.filter = request.filter, .newest_first = true, .redact = arguments.redact};
  do {
    options.max = std::min(limits::kListPage, request.wanted - seen.letters.size());
    auto page = broker.list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    std::ranges::move(page->items, std::back_inserter(seen.letters));
    options.after = page->next;
  } while (options.after && seen.letters.size() < request.wanted);
  seen.more = options.after.has_value();
  return {};
}

Result<void> look_at_detail(Broker& broker, const WatchArguments& arguments, Seq seq, WatchSeen& seen) {
  auto page = broker.list_dead_letters(
      arguments.queue,
      {.filter = {.seqs = {seq}, .history = true}, .max = 1, .bodies = true, .redact = arguments.redact});
  if (!page) return tl::unexpected(page.error());
  if (!page->items.empty()) seen.detail = std::move(page->items.front());
  return {};
}

Result<WatchSeen> look(Broker& broker, const WatchArguments& arguments, const WatchRequest& request,
                       std::size_t groups_max) {
  const auto& queue = arguments.queue;
  auto info = broker.describe_queue(queue);
  if (!info) return tl::unexpected(info.error());
  auto groups = broker.group_dead_letters(queue, {.by = DeadLetterGrouping::kFingerprint,
                                                  .filter = request.filter,
                                                  .max = groups_max,
                                                  .redact = arguments.redact});
  if (!groups) return tl::unexpected(groups.error());
  auto statistics = broker.dead_letter_statistics(queue, {.hours = 1, .days = 0});
  if (!statistics) return tl::unexpected(statistics.error());
  auto rates = broker.queue_statistics(queue);
  if (!rates) return tl::unexpected(rates.error());
  WatchSeen seen{.at = broker.now(),
                 .info = *std::move(info),
                 .statistics = *std::move(statistics),
                 .rates = *std::move(rates),
                 .groups = *std::move(groups),
                 .filtered = !request.filter.empty()};
  if (auto ok = look_at_letters(broker, arguments, request, seen); !ok) return tl::unexpected(ok.error());
  if (!request.detail) return seen;
  if (auto ok = look_at_detail(broker, arguments, *request.detail, seen); !ok)
    return tl::unexpected(ok.error());
  return seen;
}

Json watch_json(const WatchSeen& seen) {
  Json groups = Json::array();
  for (const DeadLetterGroup& group : seen.groups.groups) {
    groups.push_back({{"fingerprint", group.value},
                      {"count", group.count},
                      {"last_died_at", format_time(group.last_died_at)},
                      {"category", group.sample.record.category},
                      {"reason", group.sample.record.reason}});
  }
  Json newest = Json::array();
  for (const DeadLetter& letter : seen.letters) newest.push_back(to_json(letter, false));
  return {{"queue", seen.info.name},
          {"at", format_time(seen.at)},
          {"dead", seen.info.counts.dead},
          {"leased", seen.info.counts.leased},
          {"arrivals_last_minute", seen.statistics.arrivals_last_minute},
          {"delivered_per_second", seen.rates.delivered.one_minute},
          {"acked_per_second", seen.rates.acked.one_minute},
          {"alerts", to_json(seen.info).at("alerts")},
          {"groups", std::move(groups)},
          {"groups_left_out", seen.groups.left_out},
          {"newest", std::move(newest)}};
}

void print(CommandSession& session, const WatchSeen& seen) {
  for (const std::string& line : watch_heads(seen, session.screen())) session.out() << line << '\n';
  if (seen.letters.empty()) return;
  session.out() << '\n';
  print_groups(session, DeadLetterGrouping::kFingerprint, seen.groups);
  session.out() << '\n';
  Table newest({{"SEQ", true},
                {"AGE", true},
                {"STATUS", false, 1},
                {"ASSIGNEE", false, 2},
                {"SOURCE", false, 3},
                {"REASON"}});
  for (const DeadLetter& letter : seen.letters) {
    newest.add({to_string(letter.seq), format_age(seen.at - letter.record.died_at),
                std::string(to_string(letter.triage.status)), letter.triage.assignee,
                letter.record.source_queue, letter.record.reason});
  }
  session.print(newest);
}

Result<std::string> count_text(const char* done, const Result<DeadLettersChanged>& changed,
                               const std::string& to) {
  if (!changed) return tl::unexpected(changed.error());
  std::string text = fmt::format("{} {}{}", done, counted(changed->changed, "dead letter"), to);
  if (changed->unchanged > 0) text += fmt::format(", {} already so", changed->unchanged);
  if (changed->refused > 0)
    text += fmt::format(", {} refused: their present status does not allow it", changed->refused);
  return text;
}

// Makes the change that a person asked for, and returns what came of it.
Result<std::string> perform(Broker& broker, const WatchArguments& arguments, const WatchChange& change) {
  const DeadLetterSelection which{.filter = change.which, .actor = arguments.actor};
  switch (change.kind) {
    case WatchChange::Kind::kAssign:
      return count_text("assigned",
                        broker.change_dead_letters(arguments.queue, which, {.assignee = change.assignee}),
                        change.assignee.empty() ? " to nobody" : " to " + change.assignee);
    case WatchChange::Kind::kAbandon:
      return count_text(
          "abandoned",
          broker.change_dead_letters(arguments.queue, which, {.status = DeadLetterStatus::kAbandoned}), "");
    case WatchChange::Kind::kRedrive:
      break;
  }
  const auto done = broker.redrive(
      arguments.queue, {.filter = change.which, .wait = !change.several, .actor = arguments.actor});
  if (!done) return tl::unexpected(done.error());
  if (change.several) {
    return fmt::format("started task {}: 'holdfast dlq tasks' shows it",
                       static_cast<std::uint64_t>(done->task));
  }
  return fmt::format("redrove {}{}", counted(done->moved, "dead letter"),
                     done->left.total() > 0 ? ", left in place: " + to_string(done->left) : "");
}

std::string text_of(const Result<std::string>& answer) {
  return answer ? *answer : to_string(answer.error());
}

// The live display for a person, with the changes that the person asks for.
class LiveWatch {
 public:
  LiveWatch(CommandSession& session, Broker& broker, const WatchArguments& arguments,
            const DeadLetterFilter& filter, WatchSeen first)
      : session_(session),
        broker_(broker),
        arguments_(arguments),
        view_(filter, arguments.actor),
        looks_(broker, arguments.every, std::move(first)),
        live_(session) {}

  // Returns an error if the person has left before what was asked for last could be seen to fail.
  Result<void> run() {
    constexpr Duration kTick = std::chrono::milliseconds(250);
    bool look_now = false;
    while (!live_.is_over()) {
      look_now = take_answer() || look_now;
      const auto look_at = [this, request = view_.request()] {
        return look(broker_, arguments_, request, kGroupsMax);
      };
      if (looks_.advance(look_at, std::exchange(look_now, false))) look_now = view_.take(looks_.last());
      const Timestamp now = broker_.now();
      live_.draw(view_.lines(looks_.last(), live_.screen(), now, looks_.trouble(now, session_.place())));
      const bool awaits = look_now || looks_.is_looking() || answer_.valid();
      for (const Key& key : live_.wait(awaits ? kTick / 10 : kTick)) {
        const auto outcome = view_.press(key, looks_.last());
        if (outcome == WatchView::Outcome::kQuit) return leave();
        if (outcome == WatchView::Outcome::kLook) look_now = true;
        if (outcome == WatchView::Outcome::kChange) begin(view_.change());
      }
    }
    return leave();
  }

 private:
  // Begins a change. There is one change at a time.
  void begin(const WatchChange& change) {
    if (answer_.valid()) return view_.say("wait: the last change is not done yet");
    view_.say("...");
    answer_ = std::async(std::launch::async, [this, change] { return perform(broker_, arguments_, change); });
  }

  // Waits for a change under way, but not long for a server that does not answer: the person wants to leave.
  Result<void> leave() {
    constexpr auto kWaitForAnswer = std::chrono::seconds(2);
    if (!answer_.valid()) return {};
    const bool is_late = answer_.wait_for(kWaitForAnswer) != std::future_status::ready && hang_up(broker_);
    const auto answer = answer_.get();
    if (is_late)
      return fail(ErrorCode::kOutcomeUnknown, "the last change may have been made: " + text_of(answer));
    return answer ? Result<void>() : tl::unexpected(answer.error());
  }

  bool take_answer() {
    if (!answer_.valid() || answer_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return false;
    view_.say(text_of(answer_.get()));
    return true;
  }

  CommandSession& session_;
  Broker& broker_;
  const WatchArguments& arguments_;
  WatchView view_;
  Looks<WatchSeen> looks_;
  std::future<Result<std::string>> answer_;  // it ends before looks_, which may close the client
  LiveScreen live_;
};

Result<void> watch(CommandSession& session, const WatchArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto filter = filter_of(arguments.filter, (*broker)->now());
  if (!filter) return tl::unexpected(filter.error());
  const bool live = !session.json() && !arguments.once && LiveScreen::is_possible(session);
  const WatchRequest request{.filter = *filter, .wanted = live ? WatchRequest{}.wanted : kRows};
  for (;;) {
    auto seen = look(**broker, arguments, request, live ? kGroupsMax : kRows);
    if (!seen) return tl::unexpected(seen.error());
    if (live) return LiveWatch(session, **broker, arguments, *filter, *std::move(seen)).run();
    if (!session.json()) {
      print(session, *seen);
      return {};
    }
    session.print(watch_json(*seen));
    if (arguments.once || !session.out().flush()) return {};
    std::this_thread::sleep_for(arguments.every);
  }
}

}  // namespace

void add_dlq_watch(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<WatchArguments>();
  CLI::App& verb = add_verb(
      group, session, "watch",
      "Watch a dead letter queue, and assign, redrive and abandon its letters with a key; q or ctrl-C quits",
      {"holdfast dlq watch orders-dlq", "holdfast dlq watch orders-dlq --status new --assignee ''",
       "holdfast dlq watch orders-dlq --json | jq .dead", "holdfast dlq watch orders-dlq --every 10s"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_every(verb, arguments->every);
  verb.add_flag("--once", arguments->once,
                "Print it once and exit, as without a terminal; without this, --json continues");
  add_filter(verb, arguments->filter);
  add_actor(verb, arguments->actor);
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](CommandSession& s) { return watch(s, *arguments); });
}

}  // namespace holdfast::command
