#include "engine/policies/arrival_log.h"

#include <utility>

#include "engine/codec/encoding/keys.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Removes rows that are too old. It looks when a new hour begins, so there are few, and removes them one by
// one, since the removal of a range would stay in the way of later reads.
Result<void> remove_old(QueueId queue, Hour now, const Store& store, Batch& rows) {
  if (now < limits::kArrivalHours) return {};
  const auto scan = store.scan(Family::kCatalog, keys::arrivals(queue, 0),
                               keys::arrivals(queue, now - limits::kArrivalHours + 1));
  for (; scan->valid(); scan->next()) rows.remove(Family::kCatalog, scan->key());
  return scan->status();
}

}  // namespace

void ArrivalLog::add(Timestamp died_at, DeathCause cause, std::string_view category) {
  pending_[hour_of(died_at)].add(cause, category);
  add_parked(died_at);
}

void ArrivalLog::add_parked(Timestamp time) { ++pending_[hour_of(time)].minutes[minute_of_hour(time)]; }

Result<void> ArrivalLog::find_newest(const Store& store) {
  if (newest_) return {};
  const auto scan = store.scan_down(Family::kCatalog, keys::arrivals(queue_, 0), keys::arrivals_end(queue_));
  if (!scan->valid()) return scan->status();
  const auto place = keys::parse_arrivals(scan->key());
  auto row = decode_arrivals_row(scan->value());
  if (!row) return tl::unexpected(row.error());
  if (!place) return fail(ErrorCode::kCorruption, "a key of arrivals does not decode");
  newest_ = std::make_unique<Written>(Written{place->hour, *std::move(row)});
  return {};
}

Result<void> ArrivalLog::add_to_newest(Hour hour, const ArrivalsRow& added, const Store& store, Batch& rows) {
  if (!newest_ || hour > newest_->hour) {
    if (auto ok = remove_old(queue_, hour, store, rows); !ok) return ok;
    ArrivalsRow started;
    if (newest_) started.totals = std::move(newest_->row.totals);
    newest_ = std::make_unique<Written>(Written{hour, std::move(started)});
  }
  newest_->row.add(added);
  return {};
}

Result<void> ArrivalLog::add_to_earlier(Hour hour, const ArrivalsRow& added, const Store& store,
                                        Batch& rows) {
  auto stored = store.get(Family::kCatalog, keys::arrivals(queue_, hour));
  if (!stored) return tl::unexpected(stored.error());
  auto row = *stored ? decode_arrivals_row(**stored) : ArrivalsRow();
  if (!row) return tl::unexpected(row.error());
  row->add(added);
  rows.put(Family::kCatalog, keys::arrivals(queue_, hour), encode_arrivals_row(*row));
  newest_->row.totals.add(added.came);
  return {};
}

Result<void> ArrivalLog::contribute(const Store& store, Batch& rows) {
  const auto pending = std::exchange(pending_, {});
  if (pending.empty()) return {};
  if (auto ok = find_newest(store); !ok) return ok;
  for (const auto& [hour, added] : pending) {
    const bool is_earlier = newest_ && hour < newest_->hour;
    auto ok = is_earlier ? add_to_earlier(hour, added, store, rows) : add_to_newest(hour, added, store, rows);
    if (!ok) return ok;
    rows.put(Family::kCatalog, keys::arrivals(queue_, newest_->hour), encode_arrivals_row(newest_->row));
  }
  return {};
}

}  // namespace holdfast
