#include "tools/cli/views/watch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <sstream>
#include <utility>

#include "tools/cli/texts/choices.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/views/dead_letter_text.h"
#include "tools/cli/views/queue_text.h"

namespace holdfast::command {
namespace {

// So many more rows are read once the known rows are nearly scrolled through.
constexpr std::size_t kMoreRows = 500;
// On the way to the end, each step reads as many rows as all steps before it, but at most so many.
constexpr std::size_t kMostMoreRows = 5000;
constexpr std::size_t kMark = 2;  // columns before a row, for the mark of the chosen row

using Setter = bool (*)(DeadLetterFilter&, const std::string&);
using Names = std::vector<std::string> (*)();

struct Field {
  std::string_view name;
  Setter set;
  Names values = nullptr;  // the values of a field that takes only a few
};

template <auto Member>
bool set_text(DeadLetterFilter& filter, const std::string& value) {
  filter.*Member = value;
  return true;
}

template <auto Member, auto Parse>
bool set_parsed(DeadLetterFilter& filter, const std::string& value) {
  filter.*Member = Parse(value);
  return (filter.*Member).has_value();
}

template <class Enum>
std::vector<std::string> all_names() {
  return names_of(values_of<Enum>());
}

constexpr std::array<Field, 9> kFields = {{
    {"category", set_text<&DeadLetterFilter::category>},
    {"code", set_text<&DeadLetterFilter::code>},
    {"source", set_text<&DeadLetterFilter::source>},
    {"version", set_text<&DeadLetterFilter::consumer_version>},
    {"assignee", set_text<&DeadLetterFilter::assignee>},
    {"reason", set_text<&DeadLetterFilter::reason>},
    {"status", set_parsed<&DeadLetterFilter::status, parse_dead_letter_status>, all_names<DeadLetterStatus>},
    {"cause", set_parsed<&DeadLetterFilter::cause, parse_death_cause>, all_names<DeathCause>},
    {"fingerprint", set_parsed<&DeadLetterFilter::fingerprint, parse_fingerprint>},
}};

Table letter_table(std::span<const DeadLetter> letters, Timestamp now) {
  Table table({{"SEQ", true},
               {"AGE", true},
               {"STATUS", false, 1},
               {"ASSIGNEE", false, 2},
               {"SOURCE", false, 3},
               {"CATEGORY", false, 4},
               {"REASON"}});
  for (const DeadLetter& letter : letters) {
    table.add({to_string(letter.seq), format_age(now - letter.record.died_at),
               std::string(to_string(letter.triage.status)), letter.triage.assignee,
               letter.record.source_queue, letter.record.category, letter.record.reason});
  }
  return table;
}

Table group_table(std::span<const DeadLetterGroup> groups, Timestamp now) {
  Table table(
      {{"ALIKE", true}, {"LAST", true}, {"FINGERPRINT", false, 2}, {"CATEGORY", false, 1}, {"REASON"}});
  for (const DeadLetterGroup& group : groups) {
    table.add({std::to_string(group.count), format_age(now - group.last_died_at), group.value,
               group.sample.record.category, group.sample.record.reason});
  }
  return table;
}

// Returns the part of `all` that there is room for from `top` on. `top` is changed so that `chosen` is
// visible.
template <class Items>
auto visible(const Items& all, std::size_t& top, std::size_t chosen, std::size_t rows) {
  if (chosen < top) top = chosen;
  if (chosen >= top + rows) top = chosen + 1 - rows;
  top = std::min(top, all.size() > rows ? all.size() - rows : 0);
  return std::span(all).subspan(top, std::min(rows, all.size() - top));
}

// Returns "7 dead letters", or "2 of 7 dead letters" for those that pass a filter.
std::string letters_text(const WatchSeen& seen) {
  std::string all = counted(seen.info.counts.dead, "dead letter");
  if (!seen.filtered) return all;
  std::uint64_t through = 0;
  for (const DeadLetterGroup& group : seen.groups.groups) through += group.count;
  return fmt::format("{}{} of {}", seen.groups.left_out > 0 ? "at least " : "", through, all);
}

}  // namespace

Result<DeadLetterFilter> narrowed(const DeadLetterFilter& base, std::string_view typed) {
  DeadLetterFilter filter = base;
  std::string reason;
  std::istringstream words{std::string(typed)};
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const bool is_named = equals != std::string::npos && equals > 0;
    const auto* field = std::ranges::find(kFields, word.substr(0, equals), &Field::name);
    if (is_named && field == kFields.end()) {
      std::vector<std::string_view> names(kFields.size());
      std::ranges::transform(kFields, names.begin(), &Field::name);
      return fail(ErrorCode::kInvalidArgument, fmt::format("unknown filter '{}'; there are {}",
                                                           word.substr(0, equals), fmt::join(names, ", ")));
    }
    if (!is_named) {
      reason += (reason.empty() ? "" : " ") + word;
    } else if (!field->set(filter, word.substr(equals + 1))) {
      const std::string known =
          field->values == nullptr ? "" : fmt::format(": {}", fmt::join(field->values(), ", "));
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is not a known {}{}", word.substr(equals + 1), field->name, known));
    }
  }
  if (!reason.empty()) filter.reason = reason;
  return filter;
}

std::vector<std::string> watch_heads(const WatchSeen& seen, const Screen& screen) {
  const auto fitting = [&](const std::string& line, Style style) {
    return styled(screen.is_terminal() ? printable(line, screen.columns) : printable(line), style,
                  screen.color);
  };
  const std::uint64_t this_hour = seen.statistics.hours.empty() ? 0 : seen.statistics.hours.back().total;
  std::vector<std::string> heads{
      fitting(fmt::format("{}  {} in {}, {} leased", seen.info.name, letters_text(seen),
                          counted(seen.groups.groups.size() + seen.groups.left_out, "group"),
                          seen.info.counts.leased),
              Style::kTitle),
      fitting(
          fmt::format("{} died in the last whole minute, {} this hour; {:.1f}/s handed out, {:.1f}/s acked",
                      seen.statistics.arrivals_last_minute, this_hour, seen.rates.delivered.one_minute,
                      seen.rates.acked.one_minute),
          Style::kPlain)};
  for (const Alert& alert : seen.info.alerts) {
    const bool critical = alert.severity == AlertSeverity::kCritical;
    heads.push_back(
        fitting(fmt::format("ALERT  {}: {} since {}{}", to_string(alert.severity), alert_text(alert),
                            format_clock_time(alert.since), clearing_text(alert, seen.at)),
                critical ? Style::kBad : Style::kWarning));
  }
  return heads;
}

WatchView::WatchView(DeadLetterFilter filter, std::string actor)
    : base_(std::move(filter)), actor_(std::move(actor)) {
  request_.filter = base_;
}

std::size_t WatchView::count(const WatchSeen& seen) const {
  return shows_groups() ? seen.groups.groups.size() : seen.letters.size();
}

bool WatchView::take(const WatchSeen& seen) {
  if (chosen_letter_ && !shows_groups()) {
    const auto at = std::ranges::find(seen.letters, *chosen_letter_, &DeadLetter::seq);
    if (at != seen.letters.end()) chosen_ = static_cast<std::size_t>(at - seen.letters.begin());
  }
  if (shows_groups()) {
    const auto& groups = seen.groups.groups;
    const auto at = std::ranges::find(groups, chosen_group_, &DeadLetterGroup::value);
    if (at != groups.end()) chosen_ = static_cast<std::size_t>(at - groups.begin());
  }
  chosen_ = std::min(chosen_, std::max<std::size_t>(count(seen), 1) - 1);
  hold_group(seen);
  return to_end_ && read_on(seen) == Outcome::kLook;
}

// The groups are ordered by their counts, so the chosen one may be in another row after each look.
void WatchView::hold_group(const WatchSeen& seen) {
  const bool is_there = shows_groups() && chosen_ < seen.groups.groups.size();
  chosen_group_ = is_there ? seen.groups.groups[chosen_].value : std::string();
}

// Chooses the last known letter, and asks for more if there may be some. Each look reads all letters again,
// so growing steps keep the number of looks small.
WatchView::Outcome WatchView::read_on(const WatchSeen& seen) {
  to_end_ = seen.more && !seen.letters.empty();
  if (seen.letters.empty()) return Outcome::kDraw;
  chosen_ = seen.letters.size() - 1;
  chosen_letter_ = seen.letters.back().seq;
  if (!to_end_) return Outcome::kDraw;
  request_.wanted = seen.letters.size() + std::clamp(seen.letters.size(), kMoreRows, kMostMoreRows);
  return Outcome::kLook;
}

WatchView::Outcome WatchView::press(const Key& key, const WatchSeen& seen) {
  switch (mode_) {
    case Mode::kFilter:
    case Mode::kAssign:
      return press_in_prompt(key, seen);
    case Mode::kConfirm:
      return confirm(key);
    case Mode::kDetail:
      if (key.is("a") || key.is("r") || key.is("x")) return ask(key, seen);
      return press_in_detail(key);
    case Mode::kLetters:
    case Mode::kGroups:
      return press_in_list(key, seen);
  }
  return Outcome::kDraw;
}

WatchView::Outcome WatchView::press_in_list(const Key& key, const WatchSeen& seen) {
  said_.clear();
  const bool stops = std::exchange(to_end_, false) && key.kind == Key::Kind::kEscape;
  if (stops) return Outcome::kDraw;
  if (key.is("q")) return Outcome::kQuit;
  if (key.kind == Key::Kind::kEnter) return open(seen);
  if (key.is("g")) {
    mode_ = mode_ == Mode::kGroups ? Mode::kLetters : Mode::kGroups;
    chosen_ = top_ = 0;
    chosen_letter_.reset();
    hold_group(seen);
    return Outcome::kDraw;
  }
  if (key.is("/")) {
    before_prompt_ = std::exchange(mode_, Mode::kFilter);
    question_ = "filter (words of the reason, category=, status=, ...): ";
    input_ = filter_text_;
    return Outcome::kDraw;
  }
  if (key.kind == Key::Kind::kEscape) return end_filter("");
  if (key.is("a") || key.is("r") || key.is("x")) return ask(key, seen);
  return move(key, seen);
}

WatchView::Outcome WatchView::move(const Key& key, const WatchSeen& seen) {
  const std::size_t last = std::max<std::size_t>(count(seen), 1) - 1;
  const auto up = [&](std::size_t rows) { chosen_ -= std::min(chosen_, rows); };
  const auto down = [&](std::size_t rows) { chosen_ = std::min(chosen_ + rows, last); };
  if (key.kind == Key::Kind::kUp || key.is("k")) up(1);
  if (key.kind == Key::Kind::kDown || key.is("j")) down(1);
  if (key.kind == Key::Kind::kPageUp) up(page_);
  if (key.kind == Key::Kind::kPageDown || key.is(" ")) down(page_);
  if (key.kind == Key::Kind::kHome) {
    chosen_ = 0;
    request_.wanted = WatchRequest{}.wanted;
  }
  const bool to_end = key.kind == Key::Kind::kEnd || key.is("G");
  if (to_end && !shows_groups()) return read_on(seen);
  if (to_end) chosen_ = last;
  hold_group(seen);
  if (shows_groups() || seen.letters.empty()) return Outcome::kDraw;
  // The newest letters come in at the first row. Somebody who is there wants to see them, so no letter is
  // held on to.
  chosen_letter_ = chosen_ == 0 ? std::nullopt : std::optional(seen.letters[chosen_].seq);
  if (!seen.more || chosen_ + page_ < seen.letters.size()) return Outcome::kDraw;
  request_.wanted = seen.letters.size() + kMoreRows;
  return Outcome::kLook;
}

WatchView::Outcome WatchView::open(const WatchSeen& seen) {
  if (chosen_ >= count(seen)) return Outcome::kDraw;
  if (mode_ == Mode::kGroups) {
    const std::string alike = "fingerprint=" + seen.groups.groups[chosen_].value;
    mode_ = Mode::kLetters;
    chosen_ = top_ = 0;
    return end_filter(alike);
  }
  chosen_letter_ = seen.letters[chosen_].seq;
  request_.detail = chosen_letter_;
  mode_ = Mode::kDetail;
  detail_top_ = 0;
  return Outcome::kLook;
}

WatchView::Outcome WatchView::press_in_detail(const Key& key) {
  using Kind = Key::Kind;
  if (key.is("q") || key.kind == Kind::kEscape || key.kind == Kind::kEnter || key.kind == Kind::kBackspace) {
    mode_ = Mode::kLetters;
    request_.detail.reset();
    return Outcome::kLook;
  }
  if (key.kind == Kind::kUp || key.is("k")) detail_top_ -= std::min<std::size_t>(detail_top_, 1);
  if (key.kind == Kind::kDown || key.is("j")) ++detail_top_;  // bounded when it is drawn
  if (key.kind == Kind::kPageUp) detail_top_ -= std::min(detail_top_, page_);
  if (key.kind == Kind::kPageDown || key.is(" ")) detail_top_ += page_;
  if (key.kind == Kind::kHome || key.is("g")) detail_top_ = 0;
  if (key.kind == Kind::kEnd || key.is("G")) detail_top_ = std::numeric_limits<std::size_t>::max() / 2;
  return Outcome::kDraw;
}

WatchView::Outcome WatchView::ask(const Key& key, const WatchSeen& seen) {
  if (chosen_ >= count(seen)) return Outcome::kDraw;
  change_ = {};
  std::string what;
  if (mode_ == Mode::kGroups) {
    const DeadLetterGroup& group = seen.groups.groups[chosen_];
    change_.which = request_.filter;
    change_.which.fingerprint = parse_fingerprint(group.value);
    change_.several = true;
    what = fmt::format("all {} that look alike ({})", group.count, group.value);
  } else {
    const Seq seq = mode_ == Mode::kDetail ? *request_.detail : seen.letters[chosen_].seq;
    change_.which.seqs = {seq};
    what = fmt::format("SEQ {}", static_cast<std::uint64_t>(seq));
  }
  before_prompt_ = std::exchange(mode_, key.is("a") ? Mode::kAssign : Mode::kConfirm);
  if (key.is("a")) {
    change_.kind = WatchChange::Kind::kAssign;
    question_ = "assign " + what + " to (empty: nobody): ";
    input_ = actor_;
    is_proposed_ = true;
  } else {
    change_.kind = key.is("r") ? WatchChange::Kind::kRedrive : WatchChange::Kind::kAbandon;
    question_ = (key.is("r") ? "redrive " : "abandon ") + what + "? [y/N] ";
    input_.clear();
  }
  return Outcome::kDraw;
}

WatchView::Outcome WatchView::confirm(const Key& key) {
  mode_ = before_prompt_;
  if (key.is("y") || key.is("Y")) return Outcome::kChange;
  said_ = "nothing was touched";
  return Outcome::kDraw;
}

// Erases the last character, the last word with the blanks behind it, or everything that was typed.
void WatchView::erase(const Key& key) {
  if (key.kind == Key::Kind::kBackspace && !input_.empty()) {
    do {
      input_.pop_back();
    } while (!is_utf8(input_));
  }
  if (key.kind == Key::Kind::kEraseWord) {
    input_.resize(input_.find_last_not_of(' ') + 1);
    input_.resize(input_.find_last_of(' ') + 1);
  }
  if (key.kind == Key::Kind::kEraseAll) input_.clear();
}

WatchView::Outcome WatchView::press_in_prompt(const Key& key, const WatchSeen&) {
  const bool replaced = std::exchange(is_proposed_, false) && key.kind == Key::Kind::kText;
  if (replaced) input_.clear();
  if (key.kind == Key::Kind::kText) input_ += key.text;
  erase(key);
  if (key.kind == Key::Kind::kEscape) mode_ = before_prompt_;
  if (key.kind != Key::Kind::kEnter) return Outcome::kDraw;
  const Mode prompt = std::exchange(mode_, before_prompt_);
  if (prompt == Mode::kFilter) return end_filter(input_);
  change_.assignee = input_;
  return Outcome::kChange;
}

WatchView::Outcome WatchView::end_filter(std::string_view typed) {
  auto filter = narrowed(base_, typed);
  if (!filter) {
    said_ = filter.error().message;
    return Outcome::kDraw;
  }
  filter_text_ = typed;
  request_.filter = *std::move(filter);
  return Outcome::kLook;
}

std::string WatchView::last_line(const WatchSeen& seen) const {
  if (is_prompt()) return question_ + input_ + (mode_ == Mode::kConfirm ? "" : "_");
  if (!said_.empty()) return said_;
  if (mode_ == Mode::kDetail) return "q back  j/k scroll  g/G ends  a assign  r redrive  x abandon";
  if (to_end_)
    return fmt::format("reading... {} so far; esc stops", counted(seen.letters.size(), "dead letter"));
  return fmt::format("q quit  enter {}  g {}  / filter  G end  a assign  r redrive  x abandon",
                     mode_ == Mode::kGroups ? "these" : "detail", mode_ == Mode::kGroups ? "all" : "groups");
}

std::vector<std::string> WatchView::list_body(const WatchSeen& seen, const Screen& screen, std::size_t rows,
                                              Timestamp now) {
  if (count(seen) == 0) return {request_.filter.empty() ? "no dead letters" : "no such dead letters"};
  const Screen narrower{.columns = screen.columns > kMark ? screen.columns - kMark : 1, .rows = rows};
  const auto fitting_into = [&](std::size_t shown) {
    page_ = shown;
    const Table table = shows_groups() ? group_table(visible(seen.groups.groups, top_, chosen_, shown), now)
                                       : letter_table(visible(seen.letters, top_, chosen_, shown), now);
    return table.lines(narrower);
  };
  TableLines fitting = fitting_into(rows > 1 ? rows - 1 : 1);  // the titles take one row
  if (!fitting.left_out.empty() && rows > 2) fitting = fitting_into(rows - 2);
  std::vector<std::string> lines = std::move(fitting.lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool chosen = i > 0 && top_ + i - 1 == chosen_;
    const std::string line = printable((chosen ? "> " : "  ") + lines[i], screen.columns);
    lines[i] = styled(line, i == 0 ? Style::kTitle : chosen ? Style::kChosen : Style::kPlain, screen.color);
  }
  if (!fitting.left_out.empty()) {
    const std::string text = left_out_text(fitting.left_out, "enter shows all of one", screen);
    lines.push_back(styled(text, Style::kFaint, screen.color));
  }
  return lines;
}

std::vector<std::string> WatchView::detail_body(const WatchSeen& seen, const Screen& screen, std::size_t rows,
                                                Timestamp now) {
  page_ = rows;
  if (!seen.detail || seen.detail->seq != request_.detail) return {"..."};
  std::vector<std::string> lines;
  const Screen plain{.columns = screen.columns, .rows = rows};
  for (const std::string& line : dead_letter_lines(*seen.detail, plain, now)) {
    for (std::string& part : wrapped(line, screen.columns)) lines.push_back(std::move(part));
  }
  detail_top_ = std::min(detail_top_, lines.size() > rows ? lines.size() - rows : 0);
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(detail_top_));
  return lines;
}

std::vector<std::string> WatchView::lines(const WatchSeen& seen, const Screen& screen, Timestamp now,
                                          const std::string& trouble) {
  std::vector<std::string> all = watch_heads(seen, screen);
  if (!trouble.empty()) all.push_back(styled(printable(trouble, screen.columns), Style::kBad, screen.color));
  if (!filter_text_.empty())
    all.push_back(printable("filter: " + filter_text_ + " (esc removes it)", screen.columns));
  // If the screen is too low, the heads lose lines first: a list keeps at least a row, and the last line
  // stays.
  constexpr std::size_t kLeast = 3;
  if (all.size() + kLeast > screen.rows) all.resize(screen.rows > kLeast ? screen.rows - kLeast : 0);
  const std::size_t rows = std::max<std::size_t>(screen.rows - std::min(screen.rows, all.size() + 1), 1);
  std::vector<std::string> below =
      shows_detail() ? detail_body(seen, screen, rows, now) : list_body(seen, screen, rows, now);
  below.resize(rows);
  all.insert(all.end(), below.begin(), below.end());
  // Of a text that is being typed, the end is visible.
  const std::string last = last_line(seen);
  all.push_back(is_prompt() ? printable_end(last, screen.columns)
                            : styled(printable(last, screen.columns), Style::kFaint, screen.color));
  return all;
}

}  // namespace holdfast::command
