#include "engine/dead_letters/index/posting_scan.h"

#include <algorithm>
#include <string>

namespace holdfast {
namespace {

tl::unexpected<Error> undecodable() {
  return fail(ErrorCode::kCorruption, "a posting of dead letters does not decode");
}

}  // namespace

PostingScan::PostingScan(const Store& store, QueueId queue, IndexKind kind, std::string_view value,
                         const DeadLetterCursor& from, const DeadLetterCursor& end, PostingOrder order)
    : from_(from), end_(end), order_(order) {
  // A posting may begin before `from` and go on after it.
  const std::string begin_key = keys::posting(queue, kind, value, {from.history, from.died_at, Seq{0}});
  const Seq last{end.seq == Seq{0} ? 0 : UINT64_MAX};
  const std::string end_key = keys::posting(queue, kind, value, {end.history, end.died_at, last});
  if (begin_key >= end_key) return;
  scan_ = order == PostingOrder::kDown ? store.scan_down(Family::kDeadLetterIndex, begin_key, end_key)
                                       : store.scan(Family::kDeadLetterIndex, begin_key, end_key);
  read_time();
}

void PostingScan::next() {
  if (++at_ == seqs_.size()) read_time();
}

Result<void> PostingScan::status() const {
  if (!decoded_ || !scan_) return decoded_;
  return scan_->status();
}

// Reads the next time that has any place.
void PostingScan::read_time() {
  seqs_.clear();
  at_ = 0;
  while (seqs_.empty() && scan_->valid()) {
    const std::string group(keys::posting_group(scan_->key()));
    std::size_t rows = 0;
    for (; scan_->valid() && keys::posting_group(scan_->key()) == group; scan_->next(), ++rows) {
      if (!read_row()) return seqs_.clear();
    }
    if (rows > 1) std::ranges::sort(seqs_);
    std::erase_if(seqs_, [&](Seq seq) {
      return (time_ == from_.died_at && seq < from_.seq) || (time_ == end_.died_at && seq >= end_.seq);
    });
    if (order_ == PostingOrder::kDown) std::ranges::reverse(seqs_);
  }
}

bool PostingScan::read_row() {
  const auto place = keys::parse_posting(scan_->key());
  const auto seqs = decode_posting(scan_->key(), scan_->value());
  if (!place || !seqs) {
    decoded_ = undecodable();
    return false;
  }
  time_ = place->died_at;
  seqs_.insert(seqs_.end(), seqs->begin(), seqs->end());
  return true;
}

Result<bool> any_posting(const Store& store, QueueId queue, IndexKind kind) {
  const auto scan = store.scan(Family::kDeadLetterIndex, keys::postings_begin(queue, kind),
                               keys::postings_end(queue, kind));
  if (auto ok = scan->status(); !ok) return tl::unexpected(ok.error());
  return scan->valid();
}

Result<void> for_each_posting_row(const Store& store, QueueId queue, IndexKind kind,
                                  const VisitPostingRow& visit) {
  const auto scan = store.scan(Family::kDeadLetterIndex, keys::postings_begin(queue, kind),
                               keys::postings_end(queue, kind));
  for (; scan->valid(); scan->next()) {
    const auto place = keys::parse_posting(scan->key());
    const auto seqs = decode_posting(scan->key(), scan->value());
    if (!place || !seqs) return undecodable();
    visit({kind, place->history, place->died_at, keys::posting_value(scan->key())}, *seqs);
  }
  return scan->status();
}

}  // namespace holdfast
