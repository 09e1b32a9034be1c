#include "engine/policies/arrival_log.h"

#include <utility>

#include "engine/codec/encoding/keys.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Begins the row of an hour with the totals of the row before, if there is one. It reads that row before the
// group removes old rows.
Result<ArrivalsRow> begin_hour(QueueId queue, Hour hour, const Store& store) {
  const auto scan = store.scan_down(Family::kCatalog, keys::arrivals(queue, 0), keys::arrivals(queue, hour));
  if (!scan->valid()) {
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return ArrivalsRow{};
  }
  auto before = decode_arrivals_row(scan->value());
  if (!before) return before;
  ArrivalsRow started;
  started.totals = std::move(before->totals);
  return started;
}

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

Result<ArrivalsRow> ArrivalLog::before(Hour hour, const Store& store, Batch& rows) const {
  if (last_ && last_->hour == hour) return last_->row;
  auto stored = store.get(Family::kCatalog, keys::arrivals(queue_, hour));
  if (!stored) return tl::unexpected(stored.error());
  if (*stored) return decode_arrivals_row(**stored);
  if (auto ok = remove_old(queue_, hour, store, rows); !ok) return tl::unexpected(ok.error());
  // The row of the hour before may have joined this same group, and not be in the store.
  if (!last_ || last_->hour > hour) return begin_hour(queue_, hour, store);
  ArrivalsRow started;
  started.totals = last_->row.totals;
  return started;
}

Result<void> ArrivalLog::contribute(const Store& store, Batch& rows) {
  for (auto& [hour, added] : std::exchange(pending_, {})) {
    auto row = before(hour, store, rows);
    if (!row) return tl::unexpected(row.error());
    row->add(added);
    rows.put(Family::kCatalog, keys::arrivals(queue_, hour), encode_arrivals_row(*row));
    if (!last_) last_ = std::make_unique<Written>();
    *last_ = {hour, *std::move(row)};
  }
  return {};
}

}  // namespace holdfast
