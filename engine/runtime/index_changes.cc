#include "runtime/index_changes.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace holdfast {
namespace {

Result<IndexCount> stored_count(const Store& store, const std::string& key) {
  auto row = store.get(Family::kDeadLetterIndex, key);
  if (!row) return tl::unexpected(row.error());
  return row->has_value() ? decode_index_count(**row) : Result<IndexCount>(IndexCount{});
}

}  // namespace

void IndexChanges::change(const IndexEntry& entry, bool history, int by) {
  const std::string_view group = keys::posting_group(entry.posting);
  auto at = groups_.find(group);
  if (at == groups_.end()) at = groups_.emplace(group, std::vector<Step>()).first;
  at->second.push_back({*keys::parse_last_seq(entry.posting), by});
  if (entry.count.empty()) return;
  CountChange& count = counts_[entry.count];
  (history ? count.history : count.here) += by;
}

IndexChanges::Net IndexChanges::net_of(std::vector<Step> steps) {
  std::ranges::stable_sort(steps, {}, &Step::seq);
  Net net;
  for (auto step = steps.begin(); step != steps.end();) {
    const Seq seq = step->seq;
    int by = 0;
    for (; step != steps.end() && step->seq == seq; ++step) by += step->by;
    if (by > 0) net.added.push_back(seq);
    if (by < 0) net.removed.push_back(seq);
  }
  return net;
}

Result<void> IndexChanges::take_out(const Store& store, std::string_view group,
                                    const std::vector<Seq>& removed, Batch& rows) {
  std::size_t left = removed.size();
  const auto scan = store.scan(Family::kDeadLetterIndex, keys::posting_in(group, Seq{0}),
                               keys::posting_in(group, Seq{static_cast<std::uint64_t>(removed.back()) + 1}));
  for (; scan->valid() && left > 0; scan->next()) {
    const auto seqs = decode_posting(scan->key(), scan->value());
    if (!seqs) return tl::unexpected(seqs.error());
    std::vector<Seq> kept;
    std::ranges::set_difference(*seqs, removed, std::back_inserter(kept));
    if (kept.size() == seqs->size()) continue;
    left -= seqs->size() - kept.size();
    // Its key names its first record.
    if (kept.empty() || kept.front() != seqs->front()) rows.remove(Family::kDeadLetterIndex, scan->key());
    if (!kept.empty()) put_postings(group, kept, rows);
  }
  return scan->status();
}

void IndexChanges::put_postings(std::string_view group, const std::vector<Seq>& added, Batch& rows) {
  const std::size_t most = keys::is_id_row(group) ? 1 : kPostingSeqs;
  for (std::span<const Seq> rest = added; !rest.empty();) {
    const auto part = rest.first(std::min(most, rest.size()));
    rows.put(Family::kDeadLetterIndex, keys::posting_in(group, part.front()), encode_posting(part));
    rest = rest.subspan(part.size());
  }
}

Result<void> IndexChanges::write(const Store& store, bool cleared, Batch& rows) const {
  for (const auto& [group, steps] : groups_) {
    const Net net = net_of(steps);
    if (keys::is_id_row(group)) {
      for (const Seq seq : net.removed) rows.remove(Family::kDeadLetterIndex, keys::posting_in(group, seq));
    } else if (!net.removed.empty() && !cleared) {
      if (auto ok = take_out(store, group, net.removed, rows); !ok) return ok;
    }
    put_postings(group, net.added, rows);
  }
  return write_counts(store, cleared, rows);
}

Result<void> IndexChanges::write_counts(const Store& store, bool cleared, Batch& rows) const {
  for (const auto& [key, change] : counts_) {
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

}  // namespace holdfast
