#include "tools/cli/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace holdfast::command {
namespace {

bool terminal_shows_colors() {
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  const char* term = std::getenv("TERM");          // NOLINT(concurrency-mt-unsafe)
  const bool refused = no_color != nullptr && *no_color != '\0';
  return !refused && term != nullptr && std::string_view(term) != "dumb";
}

// Returns the number of a "select graphic rendition" sequence.
std::string_view code_of(Style style) {
  switch (style) {
    case Style::kTitle:
      return "1";
    case Style::kFaint:
      return "2";
    case Style::kGood:
      return "32";
    case Style::kWarning:
      return "33";
    case Style::kBad:
      return "31";
    case Style::kChosen:
      return "7";
    case Style::kPlain:
      break;
  }
  return "";
}

}  // namespace

std::string_view to_string(ColorChoice choice) {
  switch (choice) {
    case ColorChoice::kAuto:
      return "auto";
    case ColorChoice::kAlways:
      return "always";
    case ColorChoice::kNever:
      return "never";
  }
  return "unknown";
}

Screen screen_of(int descriptor, ColorChoice choice) {
  if (::isatty(descriptor) != 1) return no_screen(choice);
  constexpr Screen kUsual{.columns = 80, .rows = 24};
  Screen screen = kUsual;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row != 0 && size.ws_col != 0) {
    screen.columns = size.ws_col;
    screen.rows = size.ws_row;
  }
  screen.color = choice == ColorChoice::kAuto ? terminal_shows_colors() : choice == ColorChoice::kAlways;
  return screen;
}

Screen no_screen(ColorChoice choice) { return {.color = choice == ColorChoice::kAlways}; }

std::string styled(std::string_view text, Style style, bool color) {
  if (!color || style == Style::kPlain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(style), text);
}

}  // namespace holdfast::command
