// These targets fuzz what people and programs outside write: receipts, ids, JSON, archives.
#include <algorithm>

#include "engine/base/helpers/base64.h"
#include "engine/codec/dead_letters/archive_line.h"
#include "engine/redrive/edit.h"
#include "engine/storage/files/archive_file.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/limits.h"
#include "holdfast/peek.h"
#include "holdfast/trace_context.h"
#include "tests/fuzz/samples.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {

bool run_receipt(std::string_view input) {
  const auto bytes = base64_decode(input);
  require(!bytes || base64_encode(*bytes) == input, "base64 does not come back");
  const auto text_of = [](const auto& value) { return value.to_string(); };
  const auto as_text = [](const auto& value) { return to_string(value); };
  const bool named[] = {must_come_back(input, Receipt::parse, text_of),
                        must_come_back(input, MessageId::parse, text_of),
                        must_come_back(input, DeadLetterCursor::parse, text_of),
                        must_come_back(input, parse_scheduled_place, as_text),
                        must_come_back(input, parse_fingerprint, as_text),
                        parse_traceparent(input).has_value()};
  return bytes || std::ranges::find(named, true) != std::end(named);
}

std::vector<std::string> receipt_seeds() {
  return {Receipt{QueueId{1}, Seq{0xfedcba9876543210}, LeaseId{17}}.to_string(),
          sample_id(9).to_string(),
          base64_encode("any bytes"),
          DeadLetterCursor{.history = true, .died_at = sample_time(), .seq = Seq{9}}.to_string(),
          to_string(ScheduledPlace{.due = sample_time(), .row = 3, .index = 4}),
          to_string(Fingerprint{0xfedcba9876543210}),
          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
}

// The input is a patch, a zero byte and the body that the patch changes.
bool run_json_edit(std::string_view input) {
  const std::size_t split = std::min(input.find('\0'), input.size());
  MessageView message;
  message.attribute_bytes = std::string_view("\0", 1);
  message.body = input.substr(std::min(split + 1, input.size()));
  const auto edit = MessageEdit::make({.json_patch = std::string(input.substr(0, split))});
  if (!edit) return false;
  const auto edited = edit->apply(message, {});
  if (!edited || edit->empty()) return edited.has_value();
  MessageView again;
  again.attribute_bytes = message.attribute_bytes;
  again.body = edited->body;
  const auto same = MessageEdit::make({.json_patch = "[]"}).value().apply(again, {});
  require(same && same->body == edited->body, "the edited body changes when nothing is done to it");
  return true;
}

std::vector<std::string> json_edit_seeds() {
  const std::string zero(1, '\0');
  return {R"([{"op":"replace","path":"/a","value":2}])" + zero + R"({"a":1,"b":[true,null,"x"]})",
          R"([{"op":"add","path":"/b/-","value":{"c":[]}},{"op":"test","path":"/a","value":1}])" + zero +
              R"({"a":1,"b":[]})",
          R"([{"op":"move","from":"/a","path":"/c"},{"op":"copy","from":"/c","path":"/d"},)"
          R"({"op":"remove","path":"/c"}])" +
              zero + R"({"a":-1.5e3})",
          "[]" + zero + R"([123456789012345678901234567890,0.12345678901234567890,10.10,1e-400])"};
}

bool run_archive_line(std::string_view input) {
  return must_settle(input, parse_archive_line,
                     [](const DeadLetter& letter) { return archive_line("q", letter); });
}

std::vector<std::string> archive_line_seeds() {
  const DeadLetterRow row = sample_dead_letter_row();
  DeadLetter letter;
  letter.id = row.id;
  letter.record = row.record;
  letter.triage = row.triage;
  letter.body = "any bytes";
  letter.attributes = {{"name", "value"}};
  letter.original = {.body = "as it was", .attributes = {{"name", "before"}}};
  DeadLetter past = letter;
  past.history = true;
  past.replay = {.outcome = ReplayOutcome::kAcked, .at = sample_time()};
  return {archive_line("q", letter), archive_line("q", past)};
}

namespace {

// Returns the first lines of an archive: a short input may stand for gigabytes.
std::vector<std::string> first_lines(const ArchiveReader& archive) {
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  (void)archive.for_each_line([&](std::string_view line) -> Result<void> {
    require(line.size() <= limits::kArchiveLineBytes + 1, "a line is longer than the longest");
    lines.emplace_back(line);
    bytes += line.size() + 1;
    if (bytes < 100'000) return {};
    return fail(ErrorCode::kLimitExceeded, "enough");
  });
  return lines;
}

}  // namespace

bool run_archive_file(std::string_view input) {
  const auto archive = ArchiveReader::open(input);
  if (!archive) return false;
  const auto lines = first_lines(*archive);
  const std::string frame = compress_lines(lines).value();
  const auto again = ArchiveReader::open(frame);
  require(again && !again->torn() && first_lines(*again) == lines, "a frame does not come back");
  return true;
}

std::vector<std::string> archive_file_seeds() {
  return {compress_lines({"one", "two"}).value(),
          compress_lines({"one"}).value() + compress_lines({std::string(300, 'x')}).value()};
}

}  // namespace holdfast::fuzz
