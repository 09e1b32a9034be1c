#include "engine/dead_letters/index/index_changes.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

namespace holdfast {

IndexChanges::GroupKey::GroupKey(const PostingGroup& group)
    : kind(group.kind), history(group.history), at(group.at), value(group.value) {}

bool IndexChanges::KeyOrder::less(const PostingGroup& a, const PostingGroup& b) {
  return std::forward_as_tuple(a.kind, a.value.size(), a.value, a.history, a.at) <
         std::forward_as_tuple(b.kind, b.value.size(), b.value, b.history, b.at);
}

void IndexChanges::change(const RecordKey& key, const DeadLetterRow& row, int by) {
  ids_.push_back({key.seq, row.record.message_id, by});
  if (row.id != row.record.message_id) ids_.push_back({key.seq, row.id, by});
  change_postings(key, indexed_fields(row), by);
}

void IndexChanges::replay(Seq seq, const IndexedFields& live, const IndexedFields& history) {
  change_postings({.seq = seq}, live, -1);
  change_postings({.history = true, .seq = seq}, history, 1);
}

void IndexChanges::change_postings(const RecordKey& key, const IndexedFields& fields, int by) {
  for_each_posting(fields, key.history, [&](const PostingGroup& group) {
    steps_of(group).push_back({key.seq, by});
  });
}

std::vector<IndexChanges::IndexStep>& IndexChanges::steps_of(const PostingGroup& group) {
  Groups::iterator& recent = recent_[2 * static_cast<std::size_t>(group.kind) + (group.history ? 1 : 0)];
  const bool same =
      recent != groups_.end() && recent->first.at == group.at && recent->first.value == group.value;
  if (!same) {
    recent = groups_.find(group);
    if (recent == groups_.end()) recent = groups_.emplace(GroupKey(group), std::vector<IndexStep>()).first;
  }
  return recent->second;
}

IndexChanges::Net IndexChanges::net_of(std::vector<IndexStep> steps) {
  if (!std::ranges::is_sorted(steps, {}, &IndexStep::seq))
    std::ranges::stable_sort(steps, {}, &IndexStep::seq);
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
  // Dead letters that died in one call mostly leave in one call, and are then all that their posting names.
  std::span<const Seq> rest = removed;
  while (!rest.empty()) {
    const auto part = rest.first(std::min(kPostingSeqs, rest.size()));
    const std::string key = keys::posting_in(group, part.front());
    const auto row = store.get(Family::kDeadLetterIndex, key);
    if (!row) return tl::unexpected(row.error());
    if (*row != encode_posting(part)) break;
    rows.remove(Family::kDeadLetterIndex, key);
    rest = rest.subspan(part.size());
  }
  return rest.empty() ? Result<void>() : take_out_of_many(store, group, rest, rows);
}

Result<void> IndexChanges::take_out_of_many(const Store& store, std::string_view group,
                                            std::span<const Seq> removed, Batch& rows) {
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
    // The key of a posting names its first record.
    if (kept.empty() || kept.front() != seqs->front()) rows.remove(Family::kDeadLetterIndex, scan->key());
    if (!kept.empty()) put_postings(group, kept, rows);
  }
  return scan->status();
}

void IndexChanges::put_postings(std::string_view group, std::span<const Seq> added, Batch& rows) {
  for (std::span<const Seq> rest = added; !rest.empty();) {
    const auto part = rest.first(std::min(kPostingSeqs, rest.size()));
    rows.put(Family::kDeadLetterIndex, keys::posting_in(group, part.front()), encode_posting(part));
    rest = rest.subspan(part.size());
  }
}

void IndexChanges::write_ids(Batch& rows) {
  const auto place = [](const IdStep& step) { return std::tie(step.id, step.seq); };
  std::ranges::sort(ids_, {}, place);
  for (auto step = ids_.begin(); step != ids_.end();) {
    const IdStep& first = *step;
    int by = 0;
    for (; step != ids_.end() && place(*step) == place(first); ++step) by += step->by;
    // A record that becomes history keeps its id rows.
    if (by == 0) continue;
    const std::string key = keys::id_row(queue_, first.id, first.seq);
    by > 0 ? rows.put(Family::kDeadLetterIds, key, {}) : rows.remove(Family::kDeadLetterIds, key);
  }
}

Result<void> IndexChanges::write(const Store& store, bool cleared, IndexCountCache& known, Batch& rows) {
  write_ids(rows);
  Counts counts;
  for (auto& [key, steps] : groups_) {
    const std::string group = keys::posting_group(queue_, key.view());
    const Net net = net_of(std::move(steps));
    if (has_postings(key.kind)) {
      if (!net.removed.empty() && !cleared) {
        if (auto ok = take_out(store, group, net.removed, rows); !ok) return ok;
      }
      put_postings(group, net.added, rows);
    }
    const std::string count = keys::count_of(queue_, key.view());
    if (count.empty()) continue;
    CountChange& change = counts[count];
    (key.history ? change.history : change.here) += std::ssize(net.added) - std::ssize(net.removed);
  }
  if (cleared) known.clear();
  return write_counts(store, cleared, counts, known, rows);
}

Result<void> IndexChanges::write_counts(const Store& store, bool cleared, const Counts& counts,
                                        IndexCountCache& known, Batch& rows) {
  for (const auto& [key, change] : counts) {
    if (change.here == 0 && change.history == 0) continue;
    auto now = cleared ? Result<IndexCount>(IndexCount{}) : known.get(store, key);
    if (!now) return tl::unexpected(now.error());
    now->here += static_cast<std::uint64_t>(change.here);
    now->history += static_cast<std::uint64_t>(change.history);
    known.put(key, *now);
    if (now->here == 0 && now->history == 0) {
      rows.remove(Family::kDeadLetterIndex, key);
    } else {
      rows.put(Family::kDeadLetterIndex, key, encode_index_count(*now));
    }
  }
  return {};
}

}  // namespace holdfast
