// Checks that rows of journals decode and lie in buckets that the checkpoint knows, and that no bucket has
// more of them than the checkpoint says.
#include <map>

#include "engine/codec/rows/journal_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

void check_queue(const Facts& facts, const QueueFacts& queue, Findings& findings) {
  const std::string where = place("journal", queue.name, queue.id);
  std::map<std::uint64_t, std::uint64_t> rows;
  for_each_row(facts.reader, Family::kJournal, keys::queue_begin(queue.id), keys::queue_end(queue.id),
               findings, [&](std::string_view key, std::string_view value) {
                 const auto at = keys::parse_journal(key);
                 if (!at) return findings.add("undecodable", where, "a key");
                 ++rows[at->bucket];
                 const auto step = decode_journal_row(value);
                 if (!step) findings.add("undecodable", where, step.error().message);
               });
  if (!queue.checkpoint) return;
  for (const JournalBucket& bucket : queue.checkpoint->journal) {
    const auto found = rows.find(bucket.number);
    if (found == rows.end()) continue;
    if (found->second > bucket.entries) {
      findings.add("count_wrong", where,
                   "the checkpoint says " + std::to_string(bucket.entries) + " steps in bucket " +
                       std::to_string(bucket.number) + ", there are " + std::to_string(found->second));
    }
    rows.erase(found);
  }
  for (const auto& [bucket, count] : rows) {
    findings.add(
        "stray_rows", where,
        std::to_string(count) + " rows of bucket " + std::to_string(bucket) + ", which is not there");
  }
}

}  // namespace

void check_journal(const Facts& facts, Findings& findings) {
  for (const auto& [id, queue] : facts.queues) check_queue(facts, queue, findings);
}

}  // namespace holdfast::verify
