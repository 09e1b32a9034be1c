// Checks that the rows of queues with deduplication decode.
#include "engine/codec/rows/dedup_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {

void check_dedup(const Facts& facts, Findings& findings) {
  for (const auto& [id, queue] : facts.queues) {
    const std::string where = place("dedup", queue.name, id);
    for_each_row(facts.reader, Family::kDedup, keys::queue_begin(id), keys::queue_end(id), findings,
                 [&](std::string_view key, std::string_view value) {
                   if (!keys::parse_dedup_bucket(key)) return findings.add("undecodable", where, "a key");
                   const auto row = decode_dedup_row(value);
                   if (!row) findings.add("undecodable", where, row.error().message);
                 });
  }
}

}  // namespace holdfast::verify
