// The keys that a person presses, from the bytes that a terminal sends for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::command {

struct Key {
  enum class Kind : std::uint8_t {
    kText,  // `text` is the character
    kUp,
    kDown,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kEscape,
    kBackspace,
    kEraseWord,  // Ctrl-W
    kEraseAll,   // Ctrl-U
  };
  Kind kind = Kind::kText;
  std::string text = {};

  bool is(std::string_view character) const { return kind == Kind::kText && text == character; }
  friend bool operator==(const Key&, const Key&) = default;
};

// Takes the keys off the front of `bytes`. What may be the beginning of a key stays, unless `all` says that
// no more bytes come: then an escape is the key Escape. Sequences and control characters that mean no key are
// dropped.
std::vector<Key> take_keys(std::string& bytes, bool all);

}  // namespace holdfast::command
