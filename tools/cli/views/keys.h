// What a person presses, from the bytes that a terminal sends for it.
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
    kEraseWord,  // ctrl-W
    kEraseAll,   // ctrl-U
  };
  Kind kind = Kind::kText;
  std::string text = {};

  bool is(std::string_view character) const { return kind == Kind::kText && text == character; }
  friend bool operator==(const Key&, const Key&) = default;
};

// Takes the keys off the front of `bytes`; what may be the beginning of one stays. `all`: no more is coming,
// so an escape is the key of that name. Sequences and control characters that mean no key are dropped.
std::vector<Key> take_keys(std::string& bytes, bool all);

}  // namespace holdfast::command
