// A row of `dedup` has the answer to a call with a request id.
//
//   row = content:u64 ids:bytes duplicates:varint index:varint*duplicates
//         failed:varint (index:varint code:varint message:bytes)*failed
//         [entries:varint [task:varint task_row:bytes]]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/redrive.h"
#include "holdfast/time.h"

namespace holdfast {

struct RequestRow {
  std::uint64_t content = 0;  // a hash of what the call carries
  // The answer to sends has one id for each message. An id has no meaning for a send that failed.
  std::vector<MessageId> ids = {};
  std::vector<std::uint32_t> duplicates = {};                // the indexes of sends that were duplicates
  std::vector<std::pair<std::uint32_t, Error>> failed = {};  // the entries that failed, by index
  // The row answers this many entries, if not all of them from this part on; the next part follows them. 0
  // means that the call had no effect in this part, but has had one in a later part.
  std::optional<std::uint32_t> entries = {};
  // The row keeps a redrive's task that has ended, without its options.
  struct Ended {
    TaskId task{};
    std::string row;  // redrive_task.h
  };
  std::optional<Ended> ended = {};
};

// These encode and decode the row of `catalog` that has the time which the directory's engines have lived
// (services/requests.h).
std::string encode_request_time(Duration lived);
Result<Duration> decode_request_time(std::string_view bytes);

std::string encode_request_row(const RequestRow& row);
Result<RequestRow> decode_request_row(std::string_view bytes);

}  // namespace holdfast
