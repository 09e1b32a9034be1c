#include "engine/codec/dead_letters/archive_line.h"

#include <algorithm>
#include <optional>

#include "engine/base/helpers/base64.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/encoding/json.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr int kFormat = 1;
// A line has some 300 values, and its texts a few thousand commas. Each value of a list or object of many
// takes far more memory than the byte or two it has in the line.
constexpr std::ptrdiff_t kValues = 100'000;
// Of a whole record there are a few hundred KiB at most: see limits.h.
constexpr std::size_t kRecordBytes = 1 << 20;

tl::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "not a line of a dead letter archive: " + what);
}

std::optional<std::string> bytes_of(const Json& value) {
  return value.is_string() ? base64_decode(value.get_ref<const std::string&>()) : std::nullopt;
}

bool read_attributes(const Json& list, Attributes& attributes) {
  if (!list.is_array() || list.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < list.size(); i += 2) {
    auto name = bytes_of(list[i]);
    auto value = bytes_of(list[i + 1]);
    if (!name || !value) return false;
    attributes.push_back({.name = std::move(*name), .value = std::move(*value)});
  }
  return true;
}

Json to_json(const Attributes& attributes) {
  Json list = Json::array();
  for (const auto& [name, value] : attributes) {
    list.push_back(base64_encode(name));
    list.push_back(base64_encode(value));
  }
  return list;
}

Result<void> read_original(const Json& line, DeadLetter& letter) {
  if (!line.contains("original_body_base64")) return {};
  auto body = bytes_of(line["original_body_base64"]);
  if (!body) return malformed("original_body_base64");
  letter.original.emplace().body = std::move(*body);
  if (read_attributes(line.value("original_attributes_base64", Json::array()), letter.original->attributes))
    return {};
  return malformed("original_attributes_base64");
}

}  // namespace

std::string archive_line(std::string_view queue, const DeadLetter& letter) {
  const FailureRecord& record = letter.record;
  const DeadLetterRow row{.id = letter.id, .record = record, .triage = letter.triage};
  Json line{{"format", kFormat},
            {"queue", queue},
            {"id", letter.id.to_string()},
            {"message_id", record.message_id.to_string()},
            {"source_queue", record.source_queue},
            {"died_at_us", record.died_at.time_since_epoch().count()},
            {"cause", to_string(record.cause)},
            {"category", record.category},
            {"code", record.code},
            {"reason", record.reason},
            {"status", to_string(letter.triage.status)},
            {"assignee", letter.triage.assignee},
            {"history", letter.history},
            {"record_base64", base64_encode(encode_dead_letter_row(row))},
            {"attributes_base64", to_json(letter.attributes)}};
  if (letter.replay) {
    line["replay_outcome"] = to_string(letter.replay->outcome);
    if (letter.replay->at != Timestamp{})
      line["replay_outcome_at_us"] = letter.replay->at.time_since_epoch().count();
  }
  if (!letter.redacted.empty()) {
    line["redacted"] = letter.redacted;
  } else if (!letter.history) {
    line["body_base64"] = base64_encode(letter.body);
  }
  if (letter.original && letter.redacted.empty()) {
    line["original_body_base64"] = base64_encode(letter.original->body);
    line["original_attributes_base64"] = to_json(letter.original->attributes);
  }
  return dump_json(line);
}

Result<DeadLetter> parse_archive_line(std::string_view line) {
  if (line.size() > limits::kArchiveLineBytes)
    return malformed("longer than one can be: " + std::to_string(limits::kArchiveLineBytes) + " bytes");
  const auto separates = [](char c) { return c == ',' || c == '[' || c == '{'; };
  if (std::ranges::count_if(line, separates) > kValues) return malformed("more values than one can have");
  const Json json = parse_json(line);
  if (!json.is_object()) return malformed("no JSON object");
  if (json.value("format", Json()) != kFormat) return malformed("format is not 1");
  if (json.contains("redacted")) return malformed("it was redacted, so there is no message to bring back");
  const auto row_bytes = bytes_of(json.value("record_base64", Json()));
  auto row = row_bytes && row_bytes->size() <= kRecordBytes ? decode_dead_letter_row(*row_bytes)
                                                            : malformed("record_base64");
  if (!row) return malformed("record_base64");
  DeadLetter letter;
  letter.id = row->id;
  letter.record = std::move(row->record);
  letter.triage = std::move(row->triage);
  letter.history = !json.contains("body_base64");
  if (!letter.history) {
    auto body = bytes_of(json["body_base64"]);
    if (!body) return malformed("body_base64");
    letter.body = std::move(*body);
  }
  if (!read_attributes(json.value("attributes_base64", Json::array()), letter.attributes)) {
    return malformed("attributes_base64");
  }
  if (auto ok = read_original(json, letter); !ok) return tl::unexpected(ok.error());
  return letter;
}

}  // namespace holdfast
