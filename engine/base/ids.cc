// A message id is written as a UUID is, and a receipt as three hex numbers: queue, seq and lease. The error
// about a text that is neither quotes only its beginning, since anything may stand in it.
#include "holdfast/ids.h"

#include <charconv>

namespace holdfast {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_dash_place(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

void append_hex(std::string& out, std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value, 16).ptr;
  out.append(digits, end);
}

// Reads one of the receipt's numbers and the dot behind it, if it is not the last one.
bool read_hex(std::string_view& text, std::uint64_t& value, bool last) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (last) return text.empty();
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string to_string(Seq seq) { return std::to_string(static_cast<std::uint64_t>(seq)); }

std::string MessageId::to_string() const {
  std::string text;
  text.reserve(36);
  for (const std::uint8_t byte : bytes) {
    if (is_dash_place(text.size())) text.push_back('-');
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Result<MessageId> MessageId::parse(std::string_view text) {
  const auto malformed =
      fail(ErrorCode::kInvalidArgument, "a message id has 32 hex digits in groups of 8-4-4-4-12, not '" +
                                            std::string(text.substr(0, 64)) + "'");
  if (text.size() != 36) return malformed;
  MessageId id;
  std::size_t nibble = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i)) {
      if (text[i] != '-') return malformed;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return malformed;
    std::uint8_t& byte = id.bytes[nibble / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
    ++nibble;
  }
  return id;
}

std::string Receipt::to_string() const {
  std::string text;
  append_hex(text, static_cast<std::uint64_t>(queue));
  text.push_back('.');
  append_hex(text, static_cast<std::uint64_t>(seq));
  text.push_back('.');
  append_hex(text, static_cast<std::uint64_t>(lease));
  return text;
}

Result<Receipt> Receipt::parse(std::string_view text) {
  std::string_view rest = text;
  std::uint64_t queue = 0;
  std::uint64_t seq = 0;
  std::uint64_t lease = 0;
  if (!read_hex(rest, queue, false) || !read_hex(rest, seq, false) || !read_hex(rest, lease, true)) {
    return fail(ErrorCode::kInvalidArgument, "a receipt is three hex numbers with dots between, not '" +
                                                 std::string(text.substr(0, 64)) + "'");
  }
  return Receipt{QueueId{queue}, Seq{seq}, LeaseId{lease}};
}

}  // namespace holdfast
