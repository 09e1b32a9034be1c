#include "engine/dead_letters/retention.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/codec/dead_letters/archive_line.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/dead_letters/index/posting_scan.h"
#include "engine/policies/redrive_verdict.h"

namespace holdfast {
namespace {

constexpr std::size_t kStepRecords = 256;
constexpr std::size_t kStepBytes = 4 << 20;
// Retention waits this long before it tries again what could not be archived, is leased, or is a canary's.
constexpr Duration kPause = std::chrono::minutes(1);
// A step reads up to this many unresolved records. Their places do not tell which of them are kept longer.
constexpr std::size_t kStepLooks = 4096;
// Retention reads this many unresolved records to know when the first of them is removed. Calls that change
// dead letters read them too.
constexpr std::size_t kPlannedLooks = 256;

struct Rule {
  // kRetention counts from the time of the status. kStatus is about unresolved dead letters whose message is
  // here, in the order of their deaths; kept_from() says since when they are kept.
  IndexKind kind;
  DeadLetterStatus status;
  Duration keep;

  friend bool operator==(const Rule&, const Rule&) = default;
};

using Rules = std::vector<Rule>;
using Places = std::map<DeadLetterStatus, DeadLetterCursor>;

Rules rules_of(const QueueOptions& options) {
  using enum DeadLetterStatus;
  constexpr auto kResolved = IndexKind::kRetention;
  Rules rules{{kResolved, kReplayed, options.retention.replayed},
              {kResolved, kFixed, options.retention.replayed},  // acknowledged
              {kResolved, kAbandoned, options.retention.abandoned}};
  if (options.retention.unresolved == Duration{0}) return rules;
  for (const DeadLetterStatus status : {kNew, kInvestigating, kFixed})
    rules.push_back({IndexKind::kStatus, status, options.retention.unresolved});
  return rules;
}

// Returns since when an unresolved dead letter is kept: since its death or, if that came later, since its
// import or the last step of its status. So a dead letter that somebody has just taken up is not removed
// under their hands.
Timestamp kept_from(const DeadLetterRow& row) {
  return std::max(row.record.died_at, row.triage.status_since);
}

// `Unwanted` says what is not to be kept, by the present options.
struct Unwanted {
  Rules rules;
  AutoRedrive policy;
  std::vector<Seq> given_up;
  Places unresolved_from;
};

Rules rules_now(CommitPipeline& pipeline, Queue& queue) {
  const LockedQueue locked(pipeline.gate(), queue);
  return rules_of(queue.options());
}

Unwanted take_unwanted(CommitPipeline& pipeline, Queue& queue) {
  const LockedQueue locked(pipeline.gate(), queue);
  return {rules_of(queue.options()), queue.options().dead_letters.auto_redrive,
          std::exchange(queue.given_up, {}), queue.unresolved_from};
}

// Keeps what was given up for a later step.
void put_back(CommitPipeline& pipeline, Queue& queue, const std::vector<Seq>& given_up) {
  const LockedQueue locked(pipeline.gate(), queue);
  queue.given_up.insert(queue.given_up.begin(), given_up.begin(), given_up.end());
}

bool is_still(const Unwanted& unwanted, const QueueOptions& options) {
  return rules_of(options) == unwanted.rules && options.dead_letters.auto_redrive == unwanted.policy;
}

// An Expired is a dead letter that is kept no longer.
struct Expired {
  RecordKey key;
  MessageId message;
  Timestamp died_at;
  ChunkSpan span;  // of a dead letter whose message is here
  std::string line;
};

// Reads dead letters of a queue as they are now.
class ExpiredReader {
 public:
  ExpiredReader(EngineContext& engine, Queue& queue) : engine_(engine), queue_(queue) {}

  // Returns nothing if the dead letter is gone, or lies in a chunk that could not be read before, since
  // neighbours share one attempt; or if it is the record of a canary, which its task has still to look at.
  Result<std::optional<Expired>> read(const RecordKey& key) {
    auto row = read_dead_letter(*engine_.store, queue_.id, key);
    if (!row) return tl::unexpected(row.error());
    if (!*row || engine_.tasks.awaits_canaries((*row)->replayed_by)) return std::nullopt;
    const FailureRecord& record = (*row)->record;
    Expired expired{
        .key = key, .message = record.message_id, .died_at = record.died_at, .span = {}, .line = {}};
    const std::uint32_t index = (*row)->chunk_index;
    const bool has_original = (*row)->has_original;
    DeadLetter letter = view_of({key.history, {}, key.seq}, std::move(**row));
    if (!key.history) {
      const auto there = add_message(letter, index, expired.span);
      if (!there) return tl::unexpected(there.error());
      if (!*there) return std::nullopt;
    }
    auto whole = add_replay(*engine_.store, queue_.id, letter);
    if (whole && has_original) whole = add_original(*engine_.store, queue_.id, letter);
    if (!whole) return tl::unexpected(whole.error());
    expired.line = archive_line(queue_.name, letter);
    return expired;
  }

 private:
  // Returns false if the dead letter was settled meanwhile, or its chunk could not be read before.
  Result<bool> add_message(DeadLetter& letter, std::uint32_t index, ChunkSpan& span) {
    const Seq first{static_cast<std::uint64_t>(letter.seq) - index};
    if (unread_ == first) return false;
    auto chunk = engine_.chunk_loader.load(queue_.id, first);
    if (!chunk && chunk.error().code == ErrorCode::kMessageNotFound) return false;
    if (!chunk) {
      unread_ = first;
      return tl::unexpected(chunk.error());
    }
    if (!(*chunk)->holds(index)) return false;
    span = (*chunk)->span_at(first);
    const MessageView message = (*chunk)->message(index);
    letter.body = message.body;
    letter.attributes = message.attributes();
    letter.without_body = false;
    return true;
  }

  EngineContext& engine_;
  Queue& queue_;
  std::optional<Seq> unread_;  // the last chunk that could not be read
};

// Collects the next dead letters that are kept no longer, up to the bounds of a step. What cannot be read
// stays, and holds up nothing else.
class Collector {
 public:
  Collector(EngineContext& engine, Queue& queue) : engine_(engine), queue_(queue) {}

  std::vector<Expired> collect(const Unwanted& unwanted, Timestamp time) {
    for (const Rule& rule : unwanted.rules) {
      if (rule.kind == IndexKind::kStatus) {
        collect_unresolved(rule, unwanted.unresolved_from, time);
      } else {
        for (const bool history : {false, true}) collect(rule, history, time);
      }
    }
    for (std::size_t i = 0; i < unwanted.given_up.size(); ++i) {
      if (full()) {
        left_.assign(unwanted.given_up.begin() + static_cast<std::ptrdiff_t>(i), unwanted.given_up.end());
        break;
      }
      note(collect_given_up(unwanted.policy, unwanted.given_up[i], time));
    }
    return std::move(expired_);
  }
  // Returns those that were given up and that the step had no room for.
  const std::vector<Seq>& left() const { return left_; }
  // Returns the first error of reading.
  const Result<void>& read() const { return read_; }
  // Returns where the walks over unresolved dead letters go on that have not reached their ends.
  const Places& places() const { return places_; }

 private:
  bool full() const { return expired_.size() == kStepRecords || bytes_ >= kStepBytes; }

  void note(const Result<void>& read) {
    if (read_) read_ = read;
  }

  void collect(const Rule& rule, bool history, Timestamp time) {
    if (full() || time.time_since_epoch() < rule.keep) return;
    PostingScan scan(*engine_.store, queue_.id, rule.kind, index_value(rule.status), {.history = history},
                     {history, time - rule.keep + Duration{1}, Seq{0}});
    for (; scan.valid() && !full(); scan.next()) {
      const RecordKey key{history, scan.place().seq};
      if (history || is_free(key.seq)) note(add(key));
    }
    note(scan.status());
  }

  // Collects unresolved dead letters. Those that are kept longer than their places say stay in the way of
  // others. So a step goes on where the last one broke off, and no walk begins anew before all walks have
  // reached their ends.
  void collect_unresolved(const Rule& rule, const Places& from, Timestamp time) {
    const auto place = from.find(rule.status);
    if (time.time_since_epoch() < rule.keep || (!from.empty() && place == from.end())) return;
    const Timestamp until = time - rule.keep;
    PostingScan scan(*engine_.store, queue_.id, rule.kind, index_value(rule.status),
                     place == from.end() ? DeadLetterCursor{} : place->second,
                     {false, until + Duration{1}, Seq{0}});
    for (; scan.valid() && !full() && looks_ < kStepLooks; scan.next(), ++looks_)
      note(add_unresolved({.seq = scan.place().seq}, until));
    note(scan.status());
    if (scan.valid()) places_[rule.status] = scan.place();
  }

  Result<void> add_unresolved(const RecordKey& key, Timestamp until) {
    const auto row = read_dead_letter(*engine_.store, queue_.id, key);
    if (!row) return tl::unexpected(row.error());
    return *row && kept_from(**row) <= until && is_free(key.seq) ? add(key) : Result<void>();
  }

  // People may have taken the dead letter up since the policy looked, or have turned the policy off.
  Result<void> collect_given_up(const AutoRedrive& policy, Seq seq, Timestamp time) {
    const RecordKey key{.seq = seq};
    const auto is_here = [&](const Expired& each) { return each.key.seq == seq && !each.key.history; };
    const bool off = policy.every == Duration{0};
    if (off || !is_free(seq) || std::ranges::any_of(expired_, is_here)) return {};
    const auto row = read_dead_letter(*engine_.store, queue_.id, key);
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    const RedriveMoment now{.opened_at = engine_.opened_at, .time = time};
    const auto verdict = judge(policy, (*row)->record, (*row)->triage, now);
    return verdict == RedriveVerdict::kArchive ? add(key) : Result<void>();
  }

  // Returns whether no consumer holds the message. A message that is held is not archived, and is not in the
  // way of the rest.
  bool is_free(Seq seq) {
    const LockedQueue locked(engine_.pipeline.gate(), queue_);
    return queue_.state.of(seq).log().check_free(seq) == ReceiptCheck::kValid;
  }

  Result<void> add(const RecordKey& key) {
    auto expired = reader_.read(key);
    if (!expired) return tl::unexpected(expired.error());
    if (!*expired) return {};
    bytes_ += (*expired)->line.size();
    expired_.push_back(*std::move(*expired));
    return {};
  }

  EngineContext& engine_;
  Queue& queue_;
  ExpiredReader reader_{engine_, queue_};
  std::vector<Expired> expired_;
  std::size_t bytes_ = 0;
  std::vector<Seq> left_;
  Places places_;
  std::size_t looks_ = 0;
  Result<void> read_;
};

Result<void> write_to_archive(Archiving& archiving, const Queue& queue, const std::vector<Expired>& expired,
                              Timestamp time) {
  std::vector<std::string> lines;
  lines.reserve(expired.size());
  for (const Expired& each : expired) lines.push_back(each.line);
  const Timestamp earliest = std::ranges::min(expired, {}, &Expired::died_at).died_at;
  return archiving.write(queue.name, std::move(lines), earliest, time);
}

// Leaves only those dead letters that are still as the archive has them. Writing the archive took its time,
// and people and consumers did not wait for it.
void keep_unchanged(EngineContext& engine, Queue& queue, std::vector<Expired>& expired)
    HOLDFAST_REQUIRES(queue.records_mutex) {
  ExpiredReader reader(engine, queue);
  std::erase_if(expired, [&](Expired& each) {
    auto now = reader.read(each.key);
    if (!now || !*now || (*now)->line != each.line) return true;
    each.span = (*now)->span;  // its chunk may have been compacted
    return false;
  });
}

// Removes the dead letters, and returns how many it removed. One that a consumer has leased since it was
// archived stays.
std::size_t remove_expired(Queue& queue, const std::vector<Expired>& expired, Timestamp time)
    HOLDFAST_REQUIRES(queue.mutex) {
  std::size_t removed = 0;
  for (const Expired& each : expired) {
    if (each.key.history) {
      queue.dead_letters.remove(each.key);
    } else if (queue.state.of(each.key.seq).log().check_free(each.key.seq) == ReceiptCheck::kValid) {
      queue.journal.record(each.message, {.at = time, .kind = StepKind::kArchived, .seq = each.key.seq});
      queue.state.of(each.key.seq).remove(each.key.seq, each.span);
    } else {
      continue;
    }
    ++removed;
  }
  return removed;
}

// Returns when the first dead letter that a rule is about is kept no longer, if that is before `first`, and
// otherwise `first`. If too many records would have to be read to know that, returns when to look again.
Result<Timestamp> first_of(const Store& store, QueueId queue, const Rule& rule, bool history, Timestamp first,
                           Timestamp now) {
  PostingScan scan(store, queue, rule.kind, index_value(rule.status), {.history = history},
                   {history, Timestamp::max(), Seq{0}});
  if (rule.kind == IndexKind::kRetention) {
    if (scan.valid()) first = std::min(first, scan.place().died_at + rule.keep);
  } else {
    // The places are sorted by time of death. A dead letter that was imported or taken up is kept for longer
    // than its place says.
    for (std::size_t looked_at = 0; scan.valid() && scan.place().died_at + rule.keep < first; scan.next()) {
      if (++looked_at > kPlannedLooks) return std::min(first, now + kPause);
      const auto row = read_dead_letter(store, queue, {.seq = scan.place().seq});
      if (!row) return tl::unexpected(row.error());
      if (*row) first = std::min(first, kept_from(**row) + rule.keep);
    }
  }
  if (auto ok = scan.status(); !ok) return tl::unexpected(ok.error());
  return first;
}

}  // namespace

Result<Timestamp> Retention::first_due(Queue& queue) {
  // An open asks this of every queue, and most queues have no resolved dead letters. One look says so for all
  // rules about them.
  const auto any_resolved = any_posting(*engine_.store, queue.id, IndexKind::kRetention);
  if (!any_resolved) return tl::unexpected(any_resolved.error());
  Timestamp first = Timestamp::max();
  for (const Rule& rule : rules_now(engine_.pipeline, queue)) {
    if (rule.kind == IndexKind::kRetention && !*any_resolved) continue;
    for (const bool history : {false, true}) {
      if (history && rule.kind == IndexKind::kStatus) continue;
      const auto found = first_of(*engine_.store, queue.id, rule, history, first, engine_.now());
      if (!found) return tl::unexpected(found.error());
      first = *found;
    }
  }
  return first;
}

void Retention::ack(Queue& queue, Seq seq, Timestamp time, const std::string& actor) {
  if (queue.ack(seq, time, actor)) expect(queue, time + queue.options().retention.replayed);
}

void Retention::expect(Queue& queue, Timestamp due) {
  if (!engine_.archiving.on() || due >= queue.retention_due) return;
  queue.retention_due = due;
  engine_.scheduler.schedule(engine_.catalog.find(queue.id), due);
}

void Retention::expect_unresolved(Queue& queue, Timestamp time) {
  const Duration keep = queue.options().retention.unresolved;
  if (keep > Duration{0}) expect(queue, time + keep);
}

void Retention::plan(const std::shared_ptr<Queue>& queue) {
  if (!engine_.archiving.on()) return;
  const Timestamp next = first_due(*queue).value_or(engine_.now() + kPause);
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    // Another thread may have looked meanwhile, and have seen an earlier record.
    queue->retention_due = std::min(queue->retention_due, next);
  }
  engine_.scheduler.schedule(queue, next);
}

Result<bool> Retention::retain_step(const std::shared_ptr<Queue>& queue, Timestamp time) {
  // If nothing can be deleted any more, each step would archive the same dead letters again.
  if (auto ok = engine_.pipeline.healthy(); !ok) return tl::unexpected(ok.error());
  Collector collector(engine_, *queue);
  const Unwanted unwanted = take_unwanted(engine_.pipeline, *queue);
  std::vector<Expired> expired = collector.collect(unwanted, time);
  if (expired.empty() && !collector.read()) return tl::unexpected(collector.read().error());
  const bool goes_on = !collector.places().empty() || !collector.left().empty();
  if (expired.empty()) {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    queue->unresolved_from = collector.places();
    return goes_on;
  }
  const auto written = write_to_archive(engine_.archiving, *queue, expired, time);
  put_back(engine_.pipeline, *queue, written ? collector.left() : unwanted.given_up);
  if (!written) return tl::unexpected(written.error());
  const sync::Lock records(queue->records_mutex);
  keep_unchanged(engine_, *queue, expired);
  bool any = false;
  GroupNumber group{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    // If the options keep dead letters for longer by now, they stay, and the archive has lines too many.
    if (queue->deleted() || !is_still(unwanted, queue->options())) return false;
    any = remove_expired(*queue, expired, time) > 0;
    queue->unresolved_from = collector.places();
    group = engine_.pipeline.join(queue, Durability::kBuffered);
    dispatcher_.after_change(queue, engine_.now());  // its group may be free now
  }
  if (auto ok = engine_.pipeline.wait(group); !ok) return tl::unexpected(ok.error());
  return any || goes_on;
}

void Retention::retain(const std::shared_ptr<Queue>& queue) {
  const Timestamp time = engine_.now();
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->retention_due > time) return engine_.scheduler.schedule(queue, queue->retention_due);
    queue->retention_due = Timestamp::max();
  }
  if (!engine_.options.background) return retain_some(queue, time);
  engine_.archive_thread.post([this, queue, time] {
    if (!engine_.closing.load(std::memory_order_acquire)) retain_some(queue, time);
  });
}

void Retention::retain_some(const std::shared_ptr<Queue>& queue, Timestamp time) {
  if (const auto more = retain_step(queue, time); more && *more) {
    {
      const LockedQueue locked(engine_.pipeline.gate(), *queue);
      queue->retention_due = time;
    }
    return engine_.scheduler.schedule(queue, time);
  }
  plan(queue);
  Timestamp again = engine_.now() + kPause;  // the archive may have taken its time
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    const bool is_planned = queue->retention_due > time;
    if (is_planned && queue->given_up.empty()) return;
    if (is_planned) again = std::min(again, queue->retention_due);
    queue->retention_due = again;
  }
  engine_.scheduler.schedule(queue, again);
}

}  // namespace holdfast
