#include "engine/codec/rows/request_row.h"

#include <algorithm>

#include "engine/codec/encoding/wire.h"

namespace holdfast {

std::string encode_request_time(Duration lived) {
  std::string out;
  wire::put_u64(out, static_cast<std::uint64_t>(lived.count()));
  return out;
}

Result<Duration> decode_request_time(std::string_view bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;  // so that time can be added
  wire::Reader reader(bytes);
  const std::uint64_t lived = reader.u64();
  if (reader.failed() || !reader.at_end() || lived > kMost)
    return fail(ErrorCode::kCorruption,
                "the time for which this directory's engines have run does not decode");
  return Duration(lived);
}

std::string encode_request_row(const RequestRow& row) {
  std::string out;
  wire::put_u64(out, row.content);
  wire::put_varint(out, row.ids.size() * sizeof(MessageId::bytes));
  for (const MessageId& id : row.ids) {
    out.append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
  }
  wire::put_varint(out, row.duplicates.size());
  for (const std::uint32_t index : row.duplicates) wire::put_varint(out, index);
  wire::put_varint(out, row.failed.size());
  for (const auto& [index, error] : row.failed) {
    wire::put_varint(out, index);
    wire::put_varint(out, static_cast<std::uint64_t>(error.code));
    wire::put_bytes(out, error.message);
  }
  if (row.entries || row.ended) wire::put_varint(out, row.entries.value_or(0));
  if (row.ended) {
    wire::put_varint(out, static_cast<std::uint64_t>(row.ended->task));
    wire::put_bytes(out, row.ended->row);
  }
  return out;
}

Result<RequestRow> decode_request_row(std::string_view bytes) {
  wire::Reader reader(bytes);
  RequestRow row;
  row.content = reader.u64();
  for (std::string_view ids = reader.bytes(); !ids.empty();) {
    MessageId& id = row.ids.emplace_back();
    const std::size_t size = std::min(ids.size(), id.bytes.size());
    std::copy_n(ids.begin(), size, id.bytes.begin());
    ids.remove_prefix(size);
  }
  for (std::uint64_t duplicates = reader.varint(); duplicates > 0 && !reader.failed(); --duplicates) {
    row.duplicates.push_back(reader.varint32());
  }
  for (std::uint64_t failed = reader.varint(); failed > 0 && !reader.failed(); --failed) {
    const std::uint32_t index = reader.varint32();
    const auto code = static_cast<ErrorCode>(reader.varint());
    row.failed.emplace_back(index, Error{code, std::string(reader.bytes())});
  }
  if (!reader.at_end()) row.entries = reader.varint32();
  if (!reader.at_end()) {
    const TaskId task{reader.varint()};
    row.ended = {task, std::string(reader.bytes())};
  }
  if (reader.failed()) return fail(ErrorCode::kCorruption, "the answer to a request does not decode");
  return row;
}

}  // namespace holdfast
