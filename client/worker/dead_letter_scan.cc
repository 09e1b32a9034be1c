#include "client/worker/dead_letter_scan.h"

#include <algorithm>
#include <exception>

#include "client/worker/backoff.h"
#include "client/worker/escalation.h"
#include "engine/base/helpers/units.h"
#include "engine/codec/dead_letters/archive_line.h"
#include "holdfast/limits.h"

namespace holdfast::worker {
namespace {

// Returns whether a call that failed with this code would fail for every dead letter.
bool befalls_all(ErrorCode code) {
  using enum ErrorCode;
  return code == kUnavailable || code == kOutcomeUnknown || code == kOverloaded || code == kClosed ||
         code == kStorageFailed || code == kQueueNotFound;
}

Result<Remedy> ask(const DeadLetterHandler& handler, const DeadLetter& letter) {
  try {
    return handler(letter);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, std::string("the handler threw: ") + e.what());
  } catch (...) {
    return fail(ErrorCode::kInternal, "the handler threw");
  }
}

constexpr const char* kTakenUp = "gone, or taken up by somebody";

std::string why_left(const LeftInPlace& left) { return left.total() == 0 ? kTakenUp : to_string(left); }

}  // namespace

DeadLetterScan::DeadLetterScan(Broker& broker, DeadLetterWorkerOptions options,
                               std::optional<http::Poster> webhook)
    : broker_(broker),
      options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : system_clock()),
      webhook_(std::move(webhook)),
      failures_(options_.backoff, options_.backoff_max) {
  if (!options_.archive.empty()) archive_.emplace(options_.archive);
}

void DeadLetterScan::stop() {
  stopped_ = true;
  if (webhook_) webhook_->cancel();
}

DeadLetterWorkerCounts DeadLetterScan::counts() const {
  const sync::Lock lock(mutex_);
  return counts_;
}

Result<void> DeadLetterScan::run() {
  failures_.begin_pass();
  webhook_down_ = false;
  Result<void> done;
  if (options_.fallback) {
    done = look_through(std::nullopt);
  } else {
    for (const auto& [category, handler] : options_.handlers) {
      if (done) done = look_through(category);
    }
  }
  if (!done || stopped_) failures_.abandon_pass();
  return done;
}

Result<void> DeadLetterScan::look_through(std::optional<std::string> category) {
  ListDeadLettersOptions options{.filter = {.category = std::move(category),
                                            .status = DeadLetterStatus::kNew,
                                            .assignee = std::string()},
                                 .max = options_.page,
                                 .bodies = true};
  do {
    if (stopped_) return {};
    const auto page = broker_.list_dead_letters(options_.queue, options);
    if (!page) {
      (void)leave({}, 0, page.error());
      return tl::unexpected(page.error());
    }
    Decisions decisions;
    for (const DeadLetter& letter : page->items) {
      if (!stopped_ && is_due(letter, page->time)) decide(letter, decisions);
    }
    if (auto ok = carry_out(decisions); !ok) return ok;
    options.after = page->next;
  } while (options.after);
  return {};
}

bool DeadLetterScan::is_due(const DeadLetter& letter, Timestamp time) {
  const std::uint32_t replays = letter.record.replays;
  const Duration wait = replays == 0 ? Duration{0} : backoff(options_.backoff, options_.backoff_max, replays);
  return failures_.is_due(letter.seq, now()) && letter.record.died_at + wait <= time;
}

void DeadLetterScan::decide(const DeadLetter& letter, Decisions& decisions) {
  const auto found = options_.handlers.find(letter.record.category);
  auto remedy = ask(found == options_.handlers.end() ? options_.fallback : found->second, letter);
  if (!remedy) {
    (void)leave({&letter}, 1, remedy.error());
    return;
  }
  switch (remedy->action) {
    case Remedy::Action::kRedrive:
      if (letter.record.replays >= options_.max_replays) {
        const std::string note = "redriven " + format_count(letter.record.replays, "time") + " already";
        return decisions.escalate.push_back({&letter, note});
      }
      if (remedy->edit.empty()) return decisions.redrive.push_back(&letter);
      return decisions.fix.push_back({&letter, std::move(remedy->edit)});
    case Remedy::Action::kEscalate:
      return decisions.escalate.push_back({&letter, std::move(remedy->note)});
    case Remedy::Action::kPark:
      return decisions.park.push_back(&letter);
    case Remedy::Action::kArchive:
      if (letter.redacted.empty()) return decisions.archive.push_back(&letter);
      // Archiving would lose the hidden part for good.
      (void)leave(
          {&letter}, 1,
          {ErrorCode::kPermissionDenied, "not archived: a part of the message is hidden from this worker"});
  }
}

Result<void> DeadLetterScan::carry_out(const Decisions& decisions) {
  if (auto ok = redrive(decisions.redrive, {}, &DeadLetterWorkerCounts::redriven); !ok) return ok;
  for (const Fix& fix : decisions.fix) {
    if (auto ok = redrive({fix.letter}, fix.edit, &DeadLetterWorkerCounts::fixed); !ok) return ok;
  }
  if (auto ok = park(decisions.park); !ok) return ok;
  if (auto ok = archive(decisions.archive); !ok) return ok;
  for (const Case& escalated : decisions.escalate) {
    if (auto ok = escalate(escalated); !ok) return ok;
  }
  return {};
}

// A dead letter that people took up meanwhile is not new any more, and is left to them. The filter names the
// letters by their ids: in a queue that was made anew meanwhile, a place has another letter.
DeadLetterFilter DeadLetterScan::only(const Letters& letters) const {
  DeadLetterFilter filter{.status = DeadLetterStatus::kNew, .assignee = std::string()};
  for (const DeadLetter* letter : letters) filter.ids.push_back(letter->id);
  return filter;
}

Result<void> DeadLetterScan::redrive(const Letters& letters, const RedriveEdit& edit, Count count) {
  if (letters.empty()) return {};
  const auto done =
      broker_.redrive(options_.queue, {.filter = only(letters), .edit = edit, .actor = options_.actor});
  if (!done) return leave(letters, letters.size(), done.error());
  settle(letters, done->moved, count, why_left(done->left));
  return {};
}

Result<void> DeadLetterScan::park(const Letters& letters) {
  if (letters.empty()) return {};
  const auto done = broker_.redrive(options_.queue, {.action = RedriveAction::kPark,
                                                     .filter = only(letters),
                                                     .to = options_.park_to,
                                                     .actor = options_.actor});
  if (!done) return leave(letters, letters.size(), done.error());
  settle(letters, done->parked, &DeadLetterWorkerCounts::parked, why_left(done->left));
  return {};
}

// The dead letters are on disk before they are discarded. After a crash in between they are in both places.
Result<void> DeadLetterScan::archive(const Letters& letters) {
  if (letters.empty()) return {};
  if (!archive_) {
    return leave(letters, letters.size(),
                 {ErrorCode::kInvalidArgument, "the worker has no directory to archive to"});
  }
  std::vector<std::string> lines;
  for (const DeadLetter* letter : letters) lines.push_back(archive_line(options_.queue, *letter));
  if (auto ok = archive_->append(options_.queue, lines, wall()); !ok) {
    (void)leave(letters, letters.size(), ok.error());
    return {};
  }
  const auto done =
      broker_.discard_dead_letters(options_.queue, {.filter = only(letters), .actor = options_.actor});
  if (!done) return leave(letters, letters.size(), done.error());
  settle(letters, done->changed, &DeadLetterWorkerCounts::archived, "leased");
  return {};
}

Result<void> DeadLetterScan::escalate(const Case& escalated) {
  if (webhook_down_ || stopped_) return {};
  const DeadLetter& letter = *escalated.letter;
  const Escalation escalation{.queue = options_.queue,
                              .summary = summary_of(options_.queue, letter),
                              .note = escalated.note,
                              .letter = letter};
  if (auto told = tell(escalation); !told) {
    (void)leave({&letter}, 1, told.error());
    return {};
  }
  std::string note = escalated.note.empty() ? escalation.summary : escalated.note;
  note.resize(std::min(note.size(), limits::kNoteBytes));
  const auto done =
      broker_.change_dead_letters(options_.queue, {.filter = only({&letter}), .actor = options_.actor},
                                  {.status = DeadLetterStatus::kInvestigating, .note = std::move(note)});
  if (!done) return leave({&letter}, 1, done.error());
  settle({&letter}, done->changed, &DeadLetterWorkerCounts::escalated, kTakenUp);
  return {};
}

Result<void> DeadLetterScan::tell(const Escalation& escalation) {
  if (options_.on_escalation) {
    if (auto ok = call(options_.on_escalation, escalation); !ok) return ok;
  }
  if (!webhook_) return {};
  const auto answer = webhook_->post(to_json(escalation));
  const http::Verdict verdict = http::verdict_on(answer);
  if (verdict == http::Verdict::kTaken) return {};
  webhook_down_ = verdict == http::Verdict::kAgain;
  return fail(ErrorCode::kUnavailable, "the webhook: " + http::describe(answer));
}

void DeadLetterScan::settle(const Letters& letters, std::uint64_t moved, Count count,
                            const std::string& otherwise) {
  {
    const sync::Lock lock(mutex_);
    counts_.*count += moved;
  }
  if (moved < letters.size()) {
    const std::uint64_t left = letters.size() - moved;
    (void)leave(letters, left, {ErrorCode::kInternal, std::to_string(left) + " stayed: " + otherwise});
    return;
  }
  for (const DeadLetter* letter : letters) failures_.succeeded(letter->seq);
}

Result<void> DeadLetterScan::leave(const Letters& letters, std::uint64_t failed, const Error& error) {
  const Timestamp time = now();
  for (const DeadLetter* letter : letters) failures_.failed(letter->seq, time);
  {
    const sync::Lock lock(mutex_);
    counts_.failed += failed;
  }
  if (options_.on_failure) options_.on_failure(letters.size() == 1 ? letters.front() : nullptr, error);
  if (befalls_all(error.code)) return tl::unexpected(error);
  return {};
}

}  // namespace holdfast::worker
