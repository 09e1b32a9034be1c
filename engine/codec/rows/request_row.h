// A row of `dedup` that tells what a call with a request id has answered.
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
  std::uint64_t content = 0;                   // hash of the call
  std::vector<MessageId> ids = {};             // of sends: one for each, of no meaning where it failed
  std::vector<std::uint32_t> duplicates = {};  // sends that were duplicates, by index
  std::vector<std::pair<std::uint32_t, Error>> failed = {};  // entries, by index
  // How many entries it tells of, if not of all that there are from its part on. The next part follows them.
  // 0: the call had no effect in this part, but has had one in a later part.
  std::optional<std::uint32_t> entries = {};
  // Of a redrive: its task, which has ended, without its options.
  struct Ended {
    TaskId task{};
    std::string row;  // redrive_task.h
  };
  std::optional<Ended> ended = {};
};

// The row of `catalog` that tells how much time the directory's engines have lived: services/requests.h.
std::string encode_request_time(Duration lived);
Result<Duration> decode_request_time(std::string_view bytes);

std::string encode_request_row(const RequestRow& row);
Result<RequestRow> decode_request_row(std::string_view bytes);

}  // namespace holdfast
