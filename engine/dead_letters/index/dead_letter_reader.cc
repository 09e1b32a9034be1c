#include "engine/dead_letters/index/dead_letter_reader.h"

#include <algorithm>
#include <utility>

#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kNear = 16;
constexpr int kNeighboursBeforeScan = 4;
constexpr std::uint64_t kScanRows = 1024;

}  // namespace

std::optional<std::uint64_t> DeadLetterReader::distance(const std::optional<RecordKey>& from,
                                                        const RecordKey& key) const {
  if (!from || from->history != key.history) return std::nullopt;
  const auto [earlier, later] = down_ ? std::pair(key.seq, from->seq) : std::pair(from->seq, key.seq);
  if (later <= earlier) return std::nullopt;
  return later - earlier;
}

Result<std::optional<std::string_view>> DeadLetterReader::read(const RecordKey& key) {
  const auto step = distance(last_, key);
  neighbours_ = step && *step <= kNear ? neighbours_ + 1 : 0;
  last_ = key;
  return neighbours_ < kNeighboursBeforeScan ? look_up(key) : scan_to(key);
}

Result<std::optional<std::string_view>> DeadLetterReader::look_up(const RecordKey& key) {
  auto row = store_.get(record_family(key.history), keys::dead_letter(queue_, key));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return std::nullopt;
  row_ = std::move(**row);
  return row_;
}

Result<std::optional<std::string_view>> DeadLetterReader::scan_to(const RecordKey& key) {
  const auto from_begin = distance(scan_begin_, key);
  if (!scan_ || !distance(scanned_, key) || !from_begin || *from_begin >= kScanRows) begin_scan(key);
  scanned_ = key;
  const std::string wanted = keys::dead_letter(queue_, key);
  const auto is_before = [&](std::string_view row) { return down_ ? row > wanted : row < wanted; };
  while (scan_->valid() && is_before(scan_->key())) scan_->next();
  if (scan_->valid()) return scan_->key() == wanted ? std::optional(scan_->value()) : std::nullopt;
  if (auto ok = scan_->status(); !ok) return tl::unexpected(ok.error());
  return std::nullopt;
}

void DeadLetterReader::begin_scan(const RecordKey& key) {
  const auto at = [&](Seq seq) { return keys::dead_letter(queue_, {key.history, seq}); };
  const std::uint64_t rows_below = std::min(static_cast<std::uint64_t>(key.seq), kScanRows - 1);
  scan_ = down_ ? store_.scan_down(record_family(key.history),
                                   at(Seq{static_cast<std::uint64_t>(key.seq) - rows_below}), at(key.seq + 1))
                : store_.scan(record_family(key.history), at(key.seq), at(key.seq + kScanRows));
  scan_begin_ = key;
}

}  // namespace holdfast
