#include "engine/queue/dedup_window.h"

#include <algorithm>
#include <utility>

namespace holdfast {

void DedupWindow::restore(std::vector<Timestamp> buckets, Duration length, Timestamp now) {
  const sync::Lock lock(mutex_);
  buckets_ = std::move(buckets);
  length_ = length;
  newest_ = buckets_.empty() ? now : std::max(now, buckets_.back() + length);
}

void DedupWindow::set_length(Duration length) {
  const sync::Lock lock(mutex_);
  length_ = length;
}

DedupWindow::Lookup::Lookup(DedupWindow& window) : window_(window) {
  const sync::Lock lock(window.mutex_);
  place_ = window.lookups_.insert(window.pipeline_.last_committed());
  buckets_.assign(window.buckets_.rbegin(), window.buckets_.rend());
}

DedupWindow::Lookup::~Lookup() {
  const sync::Lock lock(window_.mutex_);
  window_.lookups_.erase(place_);
}

std::optional<DedupRow> DedupWindow::find(const DedupKey& key, const std::optional<DedupRow>& stored,
                                          Timestamp now) const {
  const sync::Lock lock(mutex_);
  const auto recent = recent_.find(key);
  const std::optional<DedupRow> row = recent == recent_.end() ? stored : recent->second.row;
  return row && now < row->sent_at + length_ ? row : std::nullopt;
}

Timestamp DedupWindow::add(const DedupKey& key, const DedupRow& row, GroupNumber group) {
  const sync::Lock lock(mutex_);
  drop_committed();
  recent_.insert_or_assign(key, Recent{row, group});
  recent_order_.emplace_back(group, key);
  if (buckets_.empty() || buckets_.back() + length_ <= row.sent_at) buckets_.push_back(row.sent_at);
  newest_ = std::max(newest_, row.sent_at);
  return buckets_.back();
}

void DedupWindow::drop_committed() {
  GroupNumber last = pipeline_.last_committed();
  if (!lookups_.empty()) last = std::min(last, *lookups_.begin());
  while (!recent_order_.empty() && recent_order_.front().first <= last) {
    const auto [group, key] = recent_order_.front();
    recent_order_.pop_front();
    const auto recent = recent_.find(key);
    if (recent != recent_.end() && recent->second.group == group) recent_.erase(recent);
  }
}

Timestamp DedupWindow::end_of_first() const {
  return (buckets_.size() > 1 ? buckets_[1] : newest_) + length_;
}

std::optional<Timestamp> DedupWindow::expire(Timestamp now) {
  const sync::Lock lock(mutex_);
  std::optional<Timestamp> end;
  while (!buckets_.empty() && end_of_first() <= now) {
    end = buckets_.size() > 1 ? buckets_[1] : buckets_[0] + Duration(1);
    buckets_.erase(buckets_.begin());
  }
  return end;
}

Timestamp DedupWindow::next_due() const {
  const sync::Lock lock(mutex_);
  return buckets_.empty() ? Timestamp::max() : end_of_first();
}

bool DedupWindow::clear() {
  const sync::Lock lock(mutex_);
  const bool any = !buckets_.empty();
  buckets_.clear();
  recent_.clear();
  recent_order_.clear();
  return any;
}

}  // namespace holdfast
