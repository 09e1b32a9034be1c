// Remembered answers to requests decode.
#include "engine/codec/rows/request_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {

void check_requests(const Facts& facts, Findings& findings) {
  for_each_row(facts.reader, Family::kDedup, keys::requests_before(0), keys::kRequestsEnd, findings,
               [&](std::string_view, std::string_view value) {
                 const auto row = decode_request_row(value);
                 if (!row) findings.add("undecodable", "dedup: an answer to a request", row.error().message);
               });
}

}  // namespace holdfast::verify
