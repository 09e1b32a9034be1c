// A cursor names the place where a page ended by its contents, not by a count, so the next page begins there
// even if dead letters have come or gone meanwhile. The cursor of a search has the queue in front.
#include "holdfast/dead_letter_query.h"

#include <array>
#include <charconv>

#include "engine/base/names.h"

namespace holdfast {
namespace {

constexpr Names<DeadLetterGrouping, 8> kGroupings{
    {{DeadLetterGrouping::kFingerprint, "fingerprint"},
     {DeadLetterGrouping::kCategory, "category"},
     {DeadLetterGrouping::kCode, "code"},
     {DeadLetterGrouping::kCause, "cause"},
     {DeadLetterGrouping::kStatus, "status"},
     {DeadLetterGrouping::kAssignee, "assignee"},
     {DeadLetterGrouping::kSource, "source"},
     {DeadLetterGrouping::kConsumerVersion, "consumer_version"}}};

void append_hex(std::string& out, std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  out.append(digits.data(), end);
}

bool take_hex(std::string_view& text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, 16);
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return error == std::errc();
}

}  // namespace

std::string_view to_string(DeadLetterGrouping grouping) { return name_of(kGroupings, grouping); }

bool DeadLetterFilter::empty() const {
  DeadLetterFilter nothing;
  nothing.history = history;
  return *this == nothing;
}

DeadLetterCursor cursor_of(const DeadLetter& letter) {
  return {.history = letter.history, .died_at = letter.record.died_at, .seq = letter.seq};
}

std::string DeadLetterCursor::to_string() const {
  std::string text = history ? "h" : "";
  append_hex(text, static_cast<std::uint64_t>(died_at.time_since_epoch().count()));
  text += '.';
  append_hex(text, static_cast<std::uint64_t>(seq));
  return text;
}

Result<DeadLetterCursor> DeadLetterCursor::parse(std::string_view text) {
  DeadLetterCursor cursor;
  cursor.history = text.starts_with('h');
  if (cursor.history) text.remove_prefix(1);
  std::uint64_t died_at = 0;
  std::uint64_t seq = 0;
  const auto take_dot = [&] {
    const bool dot = text.starts_with('.');
    if (dot) text.remove_prefix(1);
    return dot;
  };
  if (!take_hex(text, died_at) || !take_dot() || !take_hex(text, seq) || !text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "not a cursor of dead letters");
  }
  cursor.died_at = Timestamp(Duration(static_cast<std::int64_t>(died_at)));
  cursor.seq = Seq{seq};
  return cursor;
}

std::string FindCursor::to_string() const { return queue + '@' + (letter ? letter->to_string() : ""); }

Result<FindCursor> FindCursor::parse(std::string_view text) {
  const std::size_t at = text.find('@');  // no queue's name has one
  if (at == std::string_view::npos || at == 0)
    return fail(ErrorCode::kInvalidArgument, "not a cursor of a search for dead letters");
  FindCursor cursor{.queue = std::string(text.substr(0, at)), .letter = {}};
  const std::string_view rest = text.substr(at + 1);
  if (rest.empty()) return cursor;
  const auto letter = DeadLetterCursor::parse(rest);
  if (!letter) return tl::unexpected(letter.error());
  cursor.letter = *letter;
  return cursor;
}

}  // namespace holdfast
