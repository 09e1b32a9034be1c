#include "server/sqs/format/sqs_values.h"

#include <algorithm>
#include <array>

namespace holdfast::server::sqs {
namespace {

// Cuts the first code point off and returns it. Returns nothing if the text does not begin with UTF-8.
std::optional<char32_t> take_character(std::string_view& text) {
  struct Form {
    unsigned char mask, mark;
    std::size_t size;
    char32_t least;
  };
  constexpr auto kForms = std::to_array<Form>(
      {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}});
  const auto first = static_cast<unsigned char>(text.front());
  const auto* form =
      std::ranges::find_if(kForms, [first](const Form& each) { return (first & each.mask) == each.mark; });
  if (form == kForms.end() || text.size() < form->size) return std::nullopt;
  char32_t character = first & static_cast<unsigned char>(~form->mask);
  for (const char next : text.substr(1, form->size - 1)) {
    const auto byte = static_cast<unsigned char>(next);
    if ((byte & 0xc0) != 0x80) return std::nullopt;
    character = character << 6 | (byte & 0x3fU);
  }
  text.remove_prefix(form->size);
  if (character < form->least) return std::nullopt;
  return character;
}

bool is_sendable_character(char32_t character) {
  if (character < 0x20) return character == '\t' || character == '\n' || character == '\r';
  if (character <= 0xd7ff) return true;
  if (character >= 0xe000 && character <= 0xfffd) return true;
  return character >= 0x10000 && character <= 0x10ffff;
}

}  // namespace

std::string text_in(const Json& input, std::string_view name) {
  const auto found = input.find(name);
  return found == input.end() ? std::string() : found->get<std::string>();
}

bool has(const Json& input, std::string_view name) { return input.contains(name); }

Outcome<void> check_range(std::int64_t value, const limits::Range& range, std::string_view name) {
  if (value >= range.least && value <= range.most) return {};
  return invalid_value(std::to_string(value), name,
                       "Must be between " + std::to_string(range.least) + " and " +
                           std::to_string(range.most) + ", if provided.");
}

Outcome<std::optional<std::int64_t>> number_in(const Json& input, std::string_view name,
                                               const limits::Range& range) {
  const auto found = input.find(name);
  if (found == input.end()) return std::optional<std::int64_t>();
  const auto value = found->get<std::int64_t>();
  if (auto ok = check_range(value, range, name); !ok) return tl::unexpected(ok.error());
  return std::optional(value);
}

bool is_sendable(std::string_view text) {
  while (!text.empty()) {
    const auto character = take_character(text);
    if (!character || !is_sendable_character(*character)) return false;
  }
  return true;
}

std::string made_sendable(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string made;
  while (!text.empty()) {
    std::string_view rest = text;
    const auto character = take_character(rest);
    if (!character) rest = text.substr(1);
    const bool is_good = character && is_sendable_character(*character);
    made += is_good ? text.substr(0, text.size() - rest.size()) : kReplacement;
    text = rest;
  }
  return made;
}

Outcome<void> check_id(std::string_view id, std::string_view name) {
  const bool is_good = !id.empty() && id.size() <= limits::kIdBytes &&
                       std::ranges::all_of(id, [](char c) { return c > ' ' && c < '\x7f'; });
  if (is_good) return {};
  return invalid_value(id, name,
                       std::string(name) +
                           " can only include alphanumeric and punctuation characters. 1 to " +
                           std::to_string(limits::kIdBytes) + " in length.");
}

}  // namespace holdfast::server::sqs
