// A Screen says what a stream of the command leads to: a person's terminal, or a pipe or a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::command {

enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };

// Returns "auto", "always" or "never".
std::string_view to_string(ColorChoice choice);

struct Screen {
  std::size_t columns = 0;  // 0 if it is no terminal, so that lines may have any length
  std::size_t rows = 0;
  bool color = false;

  bool is_terminal() const { return columns > 0; }
};

// Returns what the file descriptor leads to. With kAuto a terminal has colours unless NO_COLOR is set and not
// empty, or TERM says that the terminal cannot show them.
Screen screen_of(int descriptor, ColorChoice choice);
// Returns the screen of a stream without a file descriptor, such as that of a string.
Screen no_screen(ColorChoice choice);

enum class Style : std::uint8_t { kPlain, kTitle, kFaint, kGood, kWarning, kBad, kChosen };

// Returns `text` in the style's colour if there are colours. `text` must be printable.
std::string styled(std::string_view text, Style style, bool color);

}  // namespace holdfast::command
