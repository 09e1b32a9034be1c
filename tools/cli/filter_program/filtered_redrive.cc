#include "tools/cli/filter_program/filtered_redrive.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "engine/base/validation/validate.h"
#include "engine/codec/encoding/json.h"
#include "holdfast/limits.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/filter_program/child.h"
#include "tools/cli/filter_program/filter_answer.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

struct Edited {
  Seq seq{};
  RedriveEdit edit;
};

struct Decisions {
  std::vector<Seq> as_is;
  std::vector<Edited> edited;
  std::vector<Seq> discarded;
  std::uint64_t skipped = 0;
};

void add(LeftInPlace& sum, const LeftInPlace& more) {
  sum.abandoned += more.abandoned;
  sum.replay_limit += more.replay_limit;
  sum.version += more.version;
  sum.edit += more.edit;
  sum.no_queue += more.no_queue;
  sum.leased += more.leased;
}

// Returns a part that the edit changes although the program was not shown it; empty if there is none.
std::string unseen(const RedriveEdit& edit, const std::vector<std::string>& redacted) {
  for (const std::string& what : redacted) {
    const auto touches = [&](const std::string& name) { return what == "attribute " + name; };
    const bool sets = std::ranges::any_of(edit.set_attributes, touches, &Attribute::name);
    const bool drops = std::ranges::any_of(edit.drop_attributes, touches);
    if (sets || drops || (edit.body && what == "body")) return what;
  }
  return {};
}

class Run {
 public:
  Run(CommandSession& session, Broker& broker, const ProgramRedrive& asked)
      : session_(session), broker_(broker), asked_(asked) {}

  Result<void> run() {
    if (auto ok = select(); !ok) return ok;
    if (selected_.empty() && asked_.named > 0) return check_found();
    if (auto ok = decide(); !ok) return ok;
    if (asked_.options.dry_run) return report();
    auto go = confirm();
    if (!go || !*go) return go ? Result<void>() : tl::unexpected(go.error());
    if (auto ok = apply(); !ok) {
      if (changed() == 0) return ok;
      print();
      return tl::unexpected(of_all(ok.error()));
    }
    return report();
  }

 private:
  // Lists the seqs of all dead letters first, so that those that die meanwhile are not moved too.
  Result<void> select() {
    ListDeadLettersOptions options{.filter = asked_.options.filter, .max = limits::kListPage};
    options.filter.history = false;
    const DeadLetterFilter& filter = options.filter;
    const bool leaves_abandoned = !filter.status && filter.ids.empty() && filter.seqs.empty();
    do {
      auto page = broker_.list_dead_letters(asked_.queue, options);
      if (!page) return tl::unexpected(page.error());
      for (const DeadLetter& letter : page->items) {
        if (asked_.options.max != 0 && selected_.size() == asked_.options.max) return {};
        if (leaves_abandoned && letter.triage.status == DeadLetterStatus::kAbandoned) {
          ++left_.abandoned;
        } else {
          selected_.push_back(letter.seq);
        }
      }
      options.after = page->next;
    } while (options.after);
    return {};
  }

  // Checks that the dead letters that were named were found. Once --max is reached, the rest was not looked
  // for.
  Result<void> check_found() {
    if (asked_.options.max != 0 && selected_.size() >= asked_.options.max) return {};
    return check_named(session_, asked_.queue, asked_.named, selected_.size());
  }

  Result<void> decide() {
    auto lines = lines_through(asked_.program, [this] { return next_line(); });
    if (!lines) return tl::unexpected(lines.error());
    if (lines->size() != fed_.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the filter program gave {} answers for {} dead letters; nothing was touched",
                              lines->size(), fed_.size()));
    }
    for (std::size_t i = 0; i < lines->size(); ++i) {
      auto answer = parse_filter_answer((*lines)[i]);
      if (!answer) return refuse(i, answer.error().message);
      if (const std::string what = unseen(answer->edit, redacted_); !what.empty())
        return refuse(i, "the " + what + " was redacted, so it can't be changed");
      if (auto ok = validate(RedriveOptions{.edit = answer->edit}); !ok) return refuse(i, ok.error().message);
      note(fed_[i], std::move(*answer));
    }
    return {};
  }

  tl::unexpected<Error> refuse(std::size_t line, const std::string& why) const {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("line {} of the filter program, for seq {}: {}; nothing was touched", line + 1,
                            static_cast<std::uint64_t>(fed_[line]), why));
  }

  Result<std::string> next_line() {
    while (letters_.empty() && position_ < selected_.size()) {
      const std::size_t count = std::min(kPage, selected_.size() - position_);
      const auto begin = selected_.begin() + static_cast<std::ptrdiff_t>(position_);
      ListDeadLettersOptions options{.filter = {.seqs = {begin, begin + static_cast<std::ptrdiff_t>(count)}},
                                     .max = count,
                                     .bodies = true,
                                     .redact = asked_.options.redact};
      position_ += count;
      do {
        auto page = broker_.list_dead_letters(asked_.queue, options);
        if (!page) return tl::unexpected(page.error());
        for (DeadLetter& letter : page->items) {
          if (!letter.history) letters_.push_back(std::move(letter));
        }
        options.after = page->next;
      } while (options.after);
    }
    if (letters_.empty()) return std::string();
    const DeadLetter letter = std::move(letters_.front());
    letters_.pop_front();
    fed_.push_back(letter.seq);
    redacted_ = letter.redacted;
    return dump_json(to_json(letter, true));
  }

  void note(Seq seq, FilterAnswer answer) {
    using enum FilterAnswer::Action;
    if (answer.action == kSkip) {
      ++decisions_.skipped;
    } else if (answer.action == kDiscard) {
      decisions_.discarded.push_back(seq);
    } else if (answer.edit.empty()) {
      decisions_.as_is.push_back(seq);
    } else {
      decisions_.edited.push_back({seq, std::move(answer.edit)});
    }
  }

  Result<bool> confirm() {
    if (decisions_.discarded.empty()) return true;
    return session_.go_ahead(fmt::format("delete {} of '{}' for good, and redrive {}?",
                                         counted(decisions_.discarded.size(), "message"), asked_.queue,
                                         decisions_.as_is.size() + decisions_.edited.size()),
                             asked_.yes);
  }

  Result<void> apply() {
    const auto by_page = [](const std::vector<Seq>& seqs, auto&& visit) -> Result<void> {
      for (std::size_t at = 0; at < seqs.size(); at += limits::kFilterIds) {
        const auto page = std::span(seqs).subspan(at, std::min(limits::kFilterIds, seqs.size() - at));
        if (auto ok = visit(std::vector<Seq>(page.begin(), page.end())); !ok) return ok;
      }
      return {};
    };
    auto done = by_page(decisions_.as_is, [&](std::vector<Seq> seqs) { return move(std::move(seqs), {}); });
    if (!done) return done;
    for (const auto& [seq, edit] : decisions_.edited) {
      if (auto ok = move({seq}, edit); !ok) return ok;
    }
    return by_page(decisions_.discarded, [&](std::vector<Seq> seqs) -> Result<void> {
      auto gone = broker_.discard_dead_letters(
          asked_.queue, {.filter = {.seqs = std::move(seqs)}, .actor = asked_.options.actor});
      if (!gone) return tl::unexpected(gone.error());
      discarded_ += gone->changed;
      return {};
    });
  }

  Result<void> move(std::vector<Seq> seqs, RedriveEdit edit) {
    RedriveOptions options = asked_.options;
    options.filter = {.seqs = std::move(seqs)};
    options.max = 0;
    options.request_id.clear();  // it names a single call, and this is one of many
    options.edit = std::move(edit);
    auto moved = broker_.redrive(asked_.queue, std::move(options));
    if (!moved && moved.error().code == ErrorCode::kMessageNotFound) return {};  // it was settled meanwhile
    if (!moved) return tl::unexpected(moved.error());
    moved_ += moved->moved;
    add(left_, moved->left);
    parked_ += moved->parked;
    return {};
  }

  // Returns how many dead letters are not as they were.
  std::uint64_t changed() const { return moved_ + parked_ + discarded_; }

  // Returns the error of the whole run, after a call has changed something. An error means that there was no
  // effect, so the error of a later call may not stand for all of them.
  static Error of_all(Error error) {
    if (error.code == ErrorCode::kOutcomeUnknown) return error;
    return {ErrorCode::kOutcomeUnknown, "a part is done, then: " + error.message};
  }

  Result<void> report() {
    print();
    if (auto ok = check_found(); !ok) return ok;
    // If the program itself left everything in place, that is what was asked for.
    const bool to_move = !decisions_.as_is.empty() || !decisions_.edited.empty() || selected_.empty();
    if (!asked_.options.dry_run && to_move) check_left(session_, asked_.queue, changed(), left_);
    return {};
  }

  void print() {
    const std::uint64_t moved =
        asked_.options.dry_run ? decisions_.as_is.size() + decisions_.edited.size() : moved_;
    const std::uint64_t discarded = asked_.options.dry_run ? decisions_.discarded.size() : discarded_;
    if (session_.json()) {
      session_.print({{"queue", asked_.queue},
                      {"dry_run", asked_.options.dry_run},
                      {"moved", moved},
                      {"edited", decisions_.edited.size()},
                      {"discarded", discarded},
                      {"skipped", decisions_.skipped},
                      {"left", to_json(left_)},
                      {"parked", parked_}});
      return;
    }
    const bool plan = asked_.options.dry_run;
    session_.out() << fmt::format("{} {} from {}, {} of them changed; {} {}; {} {} in place{}\n",
                                  plan ? "would redrive" : "redrove", counted(moved, "message"), asked_.queue,
                                  decisions_.edited.size(), plan ? "discard" : "discarded", discarded,
                                  plan ? "leave" : "left", decisions_.skipped + left_.total(),
                                  left_.total() > 0 ? ": " + to_string(left_) : "");
    if (parked_ > 0) session_.out() << "parked " << parked_ << ": redriven too often\n";
  }

  // The dead letters of one page. Their bodies are in memory at the same time.
  static constexpr std::size_t kPage = 64;

  CommandSession& session_;
  Broker& broker_;
  const ProgramRedrive& asked_;
  std::vector<Seq> selected_;
  std::size_t position_ = 0;        // how many of `selected_` were read
  std::deque<DeadLetter> letters_;  // read, but not fed yet
  std::vector<Seq> fed_;
  std::vector<std::string> redacted_;  // what was redacted in each letter that was fed
  Decisions decisions_;
  std::uint64_t moved_ = 0;
  LeftInPlace left_;
  std::uint64_t parked_ = 0;
  std::uint64_t discarded_ = 0;
};

}  // namespace

Result<void> redrive_with_program(CommandSession& session, Broker& broker, const ProgramRedrive& asked) {
  return Run(session, broker, asked).run();
}

}  // namespace holdfast::command
