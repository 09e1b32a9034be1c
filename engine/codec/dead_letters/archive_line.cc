#include "engine/codec/dead_letters/archive_line.h"

#include <optional>
#include <utility>

#include "engine/base/helpers/base64.h"
#include "engine/base/helpers/utf8.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/dead_letters/readable.h"
#include "engine/codec/encoding/json.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr int kFormat = 1;
// A line has a few thousand values at most. Each value of a long list or object takes far more memory than
// its one or two bytes in the line.
constexpr JsonBounds kBounds{.values = 100'000};
// A record has at most this many bytes. A whole one has a few hundred KiB at most (see limits.h).
constexpr std::size_t kRecordBytes = 1 << 20;

tl::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "not a line of a dead letter archive: " + what);
}

std::optional<std::string> bytes_of(const Json& value) {
  return value.is_string() ? base64_decode(value.get_ref<const std::string&>()) : std::nullopt;
}

// Returns what put_bytes() has put there. Returns nothing if there are no such bytes, or if they do not
// decode.
std::optional<std::string> bytes_at(const Json& object, const std::string& name) {
  const auto text = object.find(name);
  if (text == object.end()) return bytes_of(object.value(name + "_base64", Json()));
  return text->is_string() ? std::optional(text->get<std::string>()) : std::nullopt;
}

bool has_bytes(const Json& object, const std::string& name) {
  return object.contains(name) || object.contains(name + "_base64");
}

// Returns whether the bytes are about as short as a text as they are in base64.
bool reads_well(std::string_view bytes) {
  constexpr std::size_t kSpare = 64;
  std::size_t added = 0;
  for (const char c : bytes) {
    const bool is_control = static_cast<unsigned char>(c) < ' ';
    const bool has_name = c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f';
    if (is_control) added += has_name ? 1 : 5;
    if (c == '"' || c == '\\') ++added;
  }
  return added <= bytes.size() / 3 + kSpare && is_valid_utf8(bytes);
}

// Adds a body under `name`.
void put_body(Json& line, const std::string& name, std::string_view body, bool readably) {
  if (readably && reads_well(body)) {
    line[name] = body;
  } else {
    line[name + "_base64"] = base64_encode(body);
  }
}

bool read_names_and_values(const Json& list, Attributes& attributes) {
  if (!list.is_array() || list.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < list.size(); i += 2) {
    auto name = bytes_of(list[i]);
    auto value = bytes_of(list[i + 1]);
    if (!name || !value) return false;
    attributes.push_back({.name = std::move(*name), .value = std::move(*value)});
  }
  return true;
}

bool read_attributes(const Json& line, const std::string& name, Attributes& attributes) {
  const auto list = line.find(name);
  if (list == line.end())
    return read_names_and_values(line.value(name + "_base64", Json::array()), attributes);
  if (!list->is_array()) return false;
  for (const Json& each : *list) {
    auto attribute = each.is_object() ? bytes_at(each, "name") : std::nullopt;
    auto value = each.is_object() ? bytes_at(each, "value") : std::nullopt;
    if (!attribute || !value) return false;
    attributes.push_back({.name = *std::move(attribute), .value = *std::move(value)});
  }
  return true;
}

void put_attributes(Json& line, const std::string& name, const Attributes& attributes, bool readably) {
  if (readably) {
    line[name] = readable(attributes);
    return;
  }
  Json& list = line[name + "_base64"] = Json::array();
  for (const auto& [attribute, value] : attributes) {
    list.push_back(base64_encode(attribute));
    list.push_back(base64_encode(value));
  }
}

Result<void> read_original(const Json& line, DeadLetter& letter) {
  if (!has_bytes(line, "original_body")) return {};
  auto body = bytes_at(line, "original_body");
  if (!body) return malformed("original_body");
  letter.original.emplace().body = std::move(*body);
  if (read_attributes(line, "original_attributes", letter.original->attributes)) return {};
  return malformed("original_attributes");
}

std::string write_line(std::string_view queue, const DeadLetter& letter, bool readably) {
  Json line{
      {"format", kFormat}, {"queue", queue}, {"id", letter.id.to_string()}, {"history", letter.history}};
  if (readably) {
    line.update(readable(letter.record));
    line["triage"] = readable(letter.triage);
    if (letter.replay) line["replay"] = readable(*letter.replay);
  }
  const DeadLetterRow row{.id = letter.id, .record = letter.record, .triage = letter.triage};
  line["record_base64"] = base64_encode(encode_dead_letter_row(row));
  put_attributes(line, "attributes", letter.attributes, readably);
  if (!letter.redacted.empty()) {
    line["redacted"] = letter.redacted;
  } else if (!letter.history) {
    put_body(line, "body", letter.body, readably);
  }
  if (letter.original && letter.redacted.empty()) {
    put_body(line, "original_body", letter.original->body, readably);
    put_attributes(line, "original_attributes", letter.original->attributes, readably);
  }
  return dump_json(line);
}

}  // namespace

// A line that control characters make too long leaves out what is only for people.
std::string archive_line(std::string_view queue, const DeadLetter& letter) {
  std::string line = write_line(queue, letter, true);
  return line.size() <= limits::kArchiveLineBytes ? line : write_line(queue, letter, false);
}

Result<DeadLetter> parse_archive_line(std::string_view line) {
  if (line.size() > limits::kArchiveLineBytes)
    return malformed("longer than one can be: " + std::to_string(limits::kArchiveLineBytes) + " bytes");
  const Json json = parse_json(line, kBounds);
  if (json.is_discarded()) return malformed("it " + json_fault(line, kBounds));
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
  letter.history = !has_bytes(json, "body");
  if (!letter.history) {
    auto body = bytes_at(json, "body");
    if (!body) return malformed("body");
    letter.body = std::move(*body);
  }
  if (!read_attributes(json, "attributes", letter.attributes)) return malformed("attributes");
  if (auto ok = read_original(json, letter); !ok) return tl::unexpected(ok.error());
  return letter;
}

}  // namespace holdfast
