// Checks that remembered answers to requests decode, and so does the time by which they age.
#include "engine/codec/rows/request_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {

void check_requests(const Facts& facts, Findings& findings) {
  const auto lived = facts.reader.get(Family::kCatalog, keys::kRequestTimeRow);
  if (!lived) findings.add("unreadable", "catalog: lived time", lived.error().message);
  if (lived && *lived) {
    const auto time = decode_request_time(**lived);
    if (!time) findings.add("undecodable", "catalog: lived time", time.error().message);
  }
  for_each_row(facts.reader, Family::kDedup, keys::requests_before(0), keys::kRequestsEnd, findings,
               [&](std::string_view key, std::string_view value) {
                 if (!keys::parse_request_bucket(key))
                   return findings.add("undecodable", "dedup: an answer to a request", "its key");
                 const auto row = decode_request_row(value);
                 if (!row) findings.add("undecodable", "dedup: an answer to a request", row.error().message);
               });
}

}  // namespace holdfast::verify
