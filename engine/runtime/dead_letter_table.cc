#include "runtime/dead_letter_table.h"

#include <string>
#include <utility>
#include <vector>

namespace holdfast {
namespace {

// How the counts change.
struct Change {
  std::int64_t here = 0;
  std::int64_t history = 0;
};
using CountChanges = std::map<std::string, Change>;

void count(CountChanges& changes, const IndexEntry& entry, bool history, std::int64_t by) {
  if (entry.count.empty()) return;
  Change& change = changes[entry.count];
  (history ? change.history : change.here) += by;
}

// Both ascending by posting: what only one of them has changes.
void merge(const std::vector<IndexEntry>& before, const std::vector<IndexEntry>& after, bool history,
           Batch& rows, CountChanges& counts) {
  auto old_entry = before.begin();
  auto new_entry = after.begin();
  while (old_entry != before.end() || new_entry != after.end()) {
    const bool only_old =
        new_entry == after.end() || (old_entry != before.end() && old_entry->posting < new_entry->posting);
    const bool only_new =
        old_entry == before.end() || (new_entry != after.end() && new_entry->posting < old_entry->posting);
    if (only_old) {
      rows.remove(Family::kDeadLetterIndex, old_entry->posting);
      count(counts, *old_entry, history, -1);
    } else if (only_new) {
      rows.put(Family::kDeadLetterIndex, new_entry->posting, {});
      count(counts, *new_entry, history, 1);
    }
    if (!only_new) ++old_entry;
    if (!only_old) ++new_entry;
  }
}

Result<IndexCount> stored_count(const Store& store, const std::string& key) {
  auto row = store.get(Family::kDeadLetterIndex, key);
  if (!row) return tl::unexpected(row.error());
  return row->has_value() ? decode_index_count(**row) : Result<IndexCount>(IndexCount{});
}

Result<void> put_counts(const CountChanges& changes, bool cleared, const Store& store, Batch& rows) {
  for (const auto& [key, change] : changes) {
    if (change.here == 0 && change.history == 0) continue;
    auto now = cleared ? Result<IndexCount>(IndexCount{}) : stored_count(store, key);
    if (!now) return tl::unexpected(now.error());
    now->here += static_cast<std::uint64_t>(change.here);
    now->history += static_cast<std::uint64_t>(change.history);
    if (now->here == 0 && now->history == 0) {
      rows.remove(Family::kDeadLetterIndex, key);
    } else {
      rows.put(Family::kDeadLetterIndex, key, encode_index_count(*now));
    }
  }
  return {};
}

}  // namespace

void DeadLetterTable::add(const RecordKey& key, DeadLetterRow row) {
  pending_[key] = {.row = std::move(row), .is_new = true};
}

void DeadLetterTable::put(const RecordKey& key, DeadLetterRow row) { pending_[key].row = std::move(row); }

void DeadLetterTable::remove(const RecordKey& key) {
  const auto found = pending_.find(key);
  if (found != pending_.end() && found->second.is_new) {
    pending_.erase(found);
  } else {
    pending_[key].row.reset();
  }
}

void DeadLetterTable::clear() {
  pending_.clear();
  cleared_ = true;
}

const DeadLetterRow* DeadLetterTable::pending(const RecordKey& key) const {
  const auto found = pending_.find(key);
  return found == pending_.end() || !found->second.row ? nullptr : &*found->second.row;
}

Result<void> DeadLetterTable::contribute(const Store& store, Batch& rows) {
  const bool cleared = std::exchange(cleared_, false);
  CountChanges counts;
  for (const auto& [key, change] : std::exchange(pending_, {})) {
    const std::string record_key = keys::dead_letter(queue_, key);
    std::vector<IndexEntry> before;
    if (!change.is_new && !cleared) {
      auto stored = store.get(Family::kDeadLetters, record_key);
      if (!stored) return tl::unexpected(stored.error());
      if (stored->has_value()) {
        auto old_row = decode_dead_letter_row(**stored);
        if (!old_row) return tl::unexpected(old_row.error());
        before = index_entries(queue_, key, *old_row);
      }
    }
    std::vector<IndexEntry> after;
    if (change.row) {
      after = index_entries(queue_, key, *change.row);
      rows.put(Family::kDeadLetters, record_key, encode_dead_letter_row(*change.row));
    } else {
      rows.remove(Family::kDeadLetters, record_key);
    }
    merge(before, after, key.history, rows, counts);
  }
  return put_counts(counts, cleared, store, rows);
}

}  // namespace holdfast
