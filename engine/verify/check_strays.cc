// Checks that every row belongs to a queue that exists.
#include "engine/codec/rows/arrivals_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

// Reports the rows in [begin, end) that no queue owns, with one finding for all rows of a queue.
void report_strays(const Facts& facts, Family family, const std::string& begin, const std::string& end,
                   Findings& findings) {
  std::uint64_t rows = 0;
  std::optional<QueueId> owner;
  const std::string name(family_name(family));
  const auto report = [&] {
    if (rows == 0) return;
    findings.add("stray_rows", owner ? place(name, "?", *owner) : name,
                 std::to_string(rows) + " rows of a queue that is not there");
  };
  for_each_row(facts.reader, family, begin, end, findings, [&](std::string_view key, std::string_view) {
    const auto queue = keys::parse_queue(key);
    if (queue != owner) {
      report();
      rows = 0;
      owner = queue;
    }
    ++rows;
  });
  report();
}

// Checks the counts of arrivals, which lie in `catalog`.
void check_arrivals(const Facts& facts, Findings& findings) {
  for_each_row(facts.reader, Family::kCatalog, std::string(keys::kArrivalsBegin),
               std::string(keys::kArrivalsEnd), findings, [&](std::string_view key, std::string_view value) {
                 const auto at = keys::parse_arrivals(key);
                 if (!at) return findings.add("undecodable", "catalog: a row of arrivals", "its key");
                 const auto queue = facts.queues.find(at->queue);
                 const bool known = queue != facts.queues.end();
                 const std::string where = place("catalog", known ? queue->second.name : "?", at->queue);
                 if (!known)
                   findings.add("stray_rows", where, "a row of arrivals of a queue that is not there");
                 if (const auto row = decode_arrivals_row(value); !row)
                   findings.add("undecodable", where, row.error().message);
               });
}

}  // namespace

void check_strays(const Facts& facts, Findings& findings) {
  for (const Family family : kQueueFamilies) {
    std::string begin;
    for (const auto& [id, queue] : facts.queues) {
      report_strays(facts, family, begin, keys::queue_begin(id), findings);
      begin = keys::queue_end(id);
    }
    // Answers to requests belong to no queue, and lie after the rows of all queues (see check_requests.cc).
    const bool has_requests = family == Family::kDedup;
    report_strays(facts, family, begin, has_requests ? keys::requests_before(0) : kKeysEnd, findings);
    if (has_requests) report_strays(facts, family, std::string(keys::kRequestsEnd), kKeysEnd, findings);
  }
  check_arrivals(facts, findings);
}

}  // namespace holdfast::verify
