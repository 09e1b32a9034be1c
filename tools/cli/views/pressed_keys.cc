#include "tools/cli/views/pressed_keys.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

constexpr char kEscapeByte = '\x1b';

// The sequences of xterm and its followers, the Linux console and rxvt.
constexpr std::array<std::pair<std::string_view, Key::Kind>, 16> kSequences = {{
    {"[A", Key::Kind::kUp},
    {"OA", Key::Kind::kUp},
    {"[B", Key::Kind::kDown},
    {"OB", Key::Kind::kDown},
    {"[5~", Key::Kind::kPageUp},
    {"[6~", Key::Kind::kPageDown},
    {"[H", Key::Kind::kHome},
    {"OH", Key::Kind::kHome},
    {"[1~", Key::Kind::kHome},
    {"[7~", Key::Kind::kHome},
    {"[F", Key::Kind::kEnd},
    {"OF", Key::Kind::kEnd},
    {"[4~", Key::Kind::kEnd},
    {"[8~", Key::Kind::kEnd},
    {"OM", Key::Kind::kEnter},
    {"[3~", Key::Kind::kBackspace},
}};

// Returns the length of the sequence after an escape; nothing if the sequence is not whole yet.
std::optional<std::size_t> sequence_length(std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  if (rest[0] == 'O') return rest.size() < 2 ? std::nullopt : std::optional<std::size_t>(2);
  if (rest[0] != '[') return 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] >= 0x40 && rest[i] <= 0x7e) return i + 1;
  }
  return std::nullopt;
}

std::size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

void add_character(std::string_view character, std::vector<Key>& keys) {
  if (character == "\r" || character == "\n") {
    keys.push_back({Key::Kind::kEnter});
  } else if (character == "\x7f" || character == "\b") {
    keys.push_back({Key::Kind::kBackspace});
  } else if (character == "\x17") {
    keys.push_back({Key::Kind::kEraseWord});
  } else if (character == "\x15") {
    keys.push_back({Key::Kind::kEraseAll});
  } else if (printable(character) == character) {
    keys.push_back({Key::Kind::kText, std::string(character)});
  }
}

}  // namespace

std::vector<Key> take_keys(std::string& bytes, bool all) {
  std::vector<Key> keys;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    if (rest[0] != kEscapeByte) {
      const std::size_t length = character_length(rest[0]);
      if (length > rest.size() && !all) break;
      add_character(rest.substr(0, length), keys);
      rest.remove_prefix(std::min(length, rest.size()));
      continue;
    }
    const auto length = sequence_length(rest.substr(1));
    if (!length && !all) break;
    const std::string_view sequence = rest.substr(1, length.value_or(0));
    if (sequence.empty()) keys.push_back({Key::Kind::kEscape});
    for (const auto& [bytes_of_key, kind] : kSequences) {
      if (sequence == bytes_of_key) keys.push_back({kind});
    }
    rest.remove_prefix(1 + sequence.size());
  }
  bytes = std::string(rest);
  return keys;
}

}  // namespace holdfast::command
