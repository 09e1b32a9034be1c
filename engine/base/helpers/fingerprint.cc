#include "engine/base/helpers/fingerprint.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "engine/base/helpers/lease_reason.h"
#include "engine/base/helpers/stack_traces/stack_trace.h"

namespace holdfast {
namespace {

constexpr std::size_t kFrames = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Returns whether the text starts with 8-4-4-4-12 hex digits.
bool starts_with_uuid(std::string_view text) {
  constexpr std::array<std::size_t, 5> kParts{8, 4, 4, 4, 12};
  std::size_t at = 0;
  for (const std::size_t part : kParts) {
    if (at != 0 && (at >= text.size() || text[at++] != '-')) return false;
    for (std::size_t i = 0; i < part; ++i, ++at) {
      if (at >= text.size() || !is_hex(text[at])) return false;
    }
  }
  return at == text.size() || !is_word(text[at]);
}

constexpr std::size_t kUuidBytes = 36;
constexpr std::size_t kHexWordBytes = 4;  // "deaf" is a word, "dea5" is a number

bool is_number(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) return std::ranges::all_of(word.substr(2), is_hex);
  return word.size() >= kHexWordBytes && std::ranges::all_of(word, is_hex) &&
         std::ranges::any_of(word, is_digit);
}

void append_word(std::string& out, std::string_view word) {
  if (is_number(word)) {
    out += '#';
    return;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool goes_on = i > 0 && is_digit(word[i - 1]);
    if (!is_digit(word[i])) {
      out += word[i];
    } else if (!goes_on) {
      out += '#';
    }
  }
}

// Returns the end of a quoted text that begins the string; npos if the string begins with none.
std::size_t quoted_end(std::string_view text) {
  constexpr std::string_view kQuotes = "'\"`";
  if (kQuotes.find(text.front()) == std::string_view::npos) return std::string_view::npos;
  const std::size_t end = text.find(text.front(), 1);
  return end == std::string_view::npos ? end : end + 1;
}

// Returns the function's name in a Ruby frame, "a.rb:9:in 'check'", whose quotes do not hold what differs
// from failure to failure. Ruby 3.3 and before open the quote with a backtick.
std::string_view quoted_function(std::string_view before, std::string_view text) {
  const bool opens = text.front() == '\'' || text.front() == '`';
  const std::size_t end = opens && before.ends_with(":in ") ? text.find('\'', 1) : std::string_view::npos;
  return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
}

// Mixes a text into an FNV-1a hash of 64 bits (Fowler, Noll, Vo), followed by a byte that no text has.
void mix(std::uint64_t& hash, std::string_view text) {
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const char c : text) add(static_cast<unsigned char>(c));
  add(0xff);
}

}  // namespace

std::string normalised(std::string_view text) {
  // Leases that ran out are one kind of failure. Who had them, for how long and with how many
  // extensions makes no difference.
  if (const auto kind = lease_reason_kind(text); !kind.empty()) return std::string(kind) + '?';
  std::string out;
  out.reserve(text.size());
  bool after_word = false;  // an apostrophe after a word is no quote
  while (!text.empty()) {
    std::size_t taken = 1;
    if (const auto function = quoted_function(out, text); !function.empty()) {
      out += normalised(function);
      taken = function.size() + 2;
    } else if (const std::size_t end = quoted_end(text); !after_word && end != std::string_view::npos) {
      out += '?';
      taken = end;
    } else if (starts_with_uuid(text) && !after_word) {
      out += '#';
      taken = kUuidBytes;
    } else if (is_word(text.front())) {
      taken = static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
      append_word(out, text.substr(0, taken));
    } else {
      out += text.front();
    }
    after_word = is_word(text[taken - 1]);
    text.remove_prefix(taken);
  }
  return out;
}

Fingerprint fingerprint_of(const FailureRecord& record) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  mix(hash, to_string(record.cause));
  mix(hash, record.category);
  mix(hash, normalised(record.reason));
  mix(hash, normalised(innermost_frames(record.stack_trace, kFrames)));
  return Fingerprint{hash};
}

}  // namespace holdfast
