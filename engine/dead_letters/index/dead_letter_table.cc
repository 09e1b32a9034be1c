#include "engine/dead_letters/index/dead_letter_table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/helpers/audit.h"
#include "engine/dead_letters/index/index_changes.h"

namespace holdfast {
namespace {

void take_over(DeadLetterRow& row, DeadLetterRow history) {
  row.record.first_death = first_death_of(history.record);
  row.id = history.id;
  row.has_original = history.has_original;
  const DeadLetterStatus status = row.triage.status;
  const Timestamp since = row.triage.status_since;
  row.triage = std::move(history.triage);
  row.triage.status = status;
  row.triage.status_since = since;
}

}  // namespace

// The changes of one group on their way into its rows.
class DeadLetterTable::Contribution {
 public:
  Contribution(DeadLetterTable& table, const Store& store, bool cleared, Batch& rows)
      : queue_(table.queue_),
        store_(store),
        cleared_(cleared),
        counts_(table.counts_),
        rows_(rows),
        index_(queue_),
        died_again_(table.died_again_) {}

  // The rows of dead letters are removed before those of history are put. The memtable finds the place of a
  // row that follows the last one at once.
  Result<void> run(Pending pending, const std::vector<Replay>& replays) {
    pending_ = std::move(pending);
    for (const Replay& replay : replays)
      rows_.remove(Family::kDeadLetters, keys::dead_letter(queue_, {.seq = replay.seq}));
    for (const Replay& replay : replays) put_history(replay);
    for (auto& [key, change] : pending_) {
      if (change.adopts) {
        if (auto ok = adopt_history(key.seq, change); !ok) return ok;
      }
      if (change.first_death) {
        if (auto ok = link_first_death(key.seq, change); !ok) return ok;
      }
      if (auto ok = write(key, change); !ok) return ok;
    }
    return index_.write(store_, cleared_, counts_, rows_);
  }

 private:
  Result<std::optional<DeadLetterRow>> stored(const RecordKey& key) const {
    if (cleared_) return std::nullopt;
    return stored_in(queue_, key);
  }

  Result<std::optional<DeadLetterRow>> stored_in(QueueId queue, const RecordKey& key) const {
    auto row = store_.get(record_family(key.history), keys::dead_letter(queue, key));
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) return std::nullopt;
    auto decoded = decode_dead_letter_row(**row);
    if (!decoded) return tl::unexpected(decoded.error());
    return std::optional(std::move(*decoded));
  }

  // Records of dead letters come before history here, so the record that is removed is not written yet.
  Result<void> adopt_history(Seq seq, Change& change) {
    const RecordKey old_key{.history = true, .seq = *change.adopts};
    auto history = stored(old_key);
    if (!history) return tl::unexpected(history.error());
    if (!*history) return {};
    Change& old_change = pending_[old_key];
    if (old_change.amended) (*history)->triage = std::move(*old_change.amended);
    old_change = {};
    if ((*history)->has_original) {
      if (auto ok = copy_original(queue_, old_key.seq, seq); !ok) return ok;
    }
    if ((*history)->replayed_by != TaskId{}) died_again_.push_back((*history)->replayed_by);
    take_over(*change.row, std::move(**history));
    return {};
  }

  Result<void> link_first_death(Seq seq, Change& change) {
    const auto& [queue, key] = *change.first_death;
    const auto before = stored_in(queue, key);
    if (!before) return tl::unexpected(before.error());
    if (!*before) return {};
    change.row->record.first_death = first_death_of((*before)->record);
    if (key.history || !(*before)->has_original) return {};
    change.row->has_original = true;
    return copy_original(queue, key.seq, seq);
  }

  Result<void> copy_original(QueueId queue, Seq from, Seq seq) {
    auto original = store_.get(Family::kHistory, keys::original(queue, from));
    if (!original) return tl::unexpected(original.error());
    if (*original) rows_.put(Family::kHistory, keys::original(queue_, seq), **original);
    return {};
  }

  void put_history(const Replay& replay) {
    const StoredRecord& record = *replay.record;
    IndexedFields history = record.indexed();
    history.status = replay.triage.status;
    history.status_since = replay.triage.status_since;
    index_.replay(replay.seq, record.indexed(), history);
    const bool has_original = record.has_original() || !replay.original.empty();
    rows_.put(Family::kHistory, keys::dead_letter(queue_, {.history = true, .seq = replay.seq}),
              record.history_row(replay.triage, has_original, replay.task));
    if (!replay.original.empty())
      rows_.put(Family::kHistory, keys::original(queue_, replay.seq), replay.original);
  }

  // Keeps the record of a message that was acknowledged.
  Result<void> keep(const RecordKey& key, Change& change) {
    if (!change.is_new) {
      auto row = stored(key);
      if (!row) return tl::unexpected(row.error());
      if (!*row) return {};
      index_.remove(key, **row);
      rows_.remove(Family::kDeadLetters, keys::dead_letter(queue_, key));
      change.row = std::move(**row);
      if (change.amended) change.row->triage = std::move(*change.amended);
    }
    DeadLetterRow& row = *change.row;
    row.chunk_index = 0;
    row.triage.status = DeadLetterStatus::kFixed;
    row.triage.status_since = change.acked->at;
    add_audit(row.triage, std::move(*change.acked));
    const RecordKey place{.history = true, .seq = key.seq};
    index_.add(place, row);
    rows_.put(Family::kHistory, keys::dead_letter(queue_, place), encode_dead_letter_row(row));
    if (!change.original.empty())
      rows_.put(Family::kHistory, keys::original(queue_, key.seq), change.original);
    return {};
  }

  Result<void> write(const RecordKey& key, Change& change) {
    if (change.acked) return keep(key, change);
    std::optional<DeadLetterRow> before;
    if (!change.is_new) {
      auto old_row = stored(key);
      if (!old_row) return tl::unexpected(old_row.error());
      if (change.amended && !*old_row) return {};
      if (change.amended) {
        change.row = **old_row;
        change.row->triage = std::move(*change.amended);
      } else if (*old_row && (*old_row)->has_original) {
        rows_.remove(Family::kHistory, keys::original(queue_, key.seq));
      }
      before = std::move(*old_row);
    }
    const std::string record_key = keys::dead_letter(queue_, key);
    if (before) index_.remove(key, *before);
    if (change.row) {
      index_.add(key, *change.row);
      rows_.put(record_family(key.history), record_key, encode_dead_letter_row(*change.row));
      if (!change.original.empty())
        rows_.put(Family::kHistory, keys::original(queue_, key.seq), change.original);
    } else {
      rows_.remove(record_family(key.history), record_key);
      if (key.history) rows_.remove(Family::kHistory, keys::outcome(queue_, key.seq));
    }
    return {};
  }

  const QueueId queue_;
  const Store& store_;
  const bool cleared_;
  IndexCountCache& counts_;
  Pending pending_;
  Batch& rows_;
  IndexChanges index_;
  std::vector<TaskId>& died_again_;
};

void DeadLetterTable::add(const RecordKey& key, DeadLetterRow&& row, std::string original) {
  Change& change = pending_[key];
  change = {.is_new = true, .original = std::move(original)};
  change.row.emplace(std::move(row));
}

void DeadLetterTable::amend(const RecordKey& key, Triage triage) {
  Change& change = pending_[key];
  if (change.row) {
    change.row->triage = std::move(triage);
  } else {
    change.amended = std::move(triage);
  }
}

void DeadLetterTable::remove(const RecordKey& key) {
  if (is_replayed(key)) return;
  const auto found = pending_.find(key);
  if (found != pending_.end() && found->second.acked) return;
  if (found != pending_.end() && found->second.is_new) {
    pending_.erase(found);
  } else {
    Change& change = pending_[key];
    change.row.reset();
    change.amended.reset();
  }
}

void DeadLetterTable::ack(Seq seq, AuditEntry entry) { pending_[{.seq = seq}].acked = std::move(entry); }

bool DeadLetterTable::is_replayed(const RecordKey& key) const {
  const auto found = std::ranges::lower_bound(replays_, key.seq, {}, &Replay::seq);
  return !key.history && found != replays_.end() && found->seq == key.seq;
}

void DeadLetterTable::replay(Seq seq, std::unique_ptr<const StoredRecord> record, Triage triage,
                             std::string original, TaskId task) {
  replays_.push_back({seq, std::move(record), std::move(triage), std::move(original), task});
}

void DeadLetterTable::adopt_history(Seq seq, Seq history) {
  pending_[{.seq = seq}].adopts = history;
  if (taken_over_) taken_over_->insert(history);
}

void DeadLetterTable::link_first_death(Seq seq, QueueId queue, const RecordKey& before) {
  pending_[{.seq = seq}].first_death = {queue, before};
}

void DeadLetterTable::clear() {
  pending_.clear();
  replays_.clear();
  cleared_ = cleared_since_ = true;
}

Result<void> DeadLetterTable::contribute(const Store& store, Batch& rows) {
  const bool cleared = std::exchange(cleared_, false);
  return Contribution(*this, store, cleared, rows)
      .run(std::exchange(pending_, {}), std::exchange(replays_, {}));
}

}  // namespace holdfast
