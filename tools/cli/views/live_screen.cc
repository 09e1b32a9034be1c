#include "tools/cli/views/live_screen.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <ostream>

namespace holdfast::command {
namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";  // shows the other page, and hides the cursor
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

}  // namespace

bool LiveScreen::is_possible(const CommandSession& session) {
  return ::isatty(STDIN_FILENO) == 1 && session.screen().is_terminal();
}

LiveScreen::LiveScreen(CommandSession& session) : session_(session) {
  if (::tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  session_.out() << kEnter << std::flush;
}

LiveScreen::~LiveScreen() {
  session_.out() << kLeave << std::flush;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void LiveScreen::draw(const std::vector<std::string>& lines) {
  std::ostream& out = session_.out();
  out << "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) out << (i == 0 ? "" : "\r\n") << lines[i] << "\x1b[K";
  out << "\x1b[J" << std::flush;
}

std::vector<Key> LiveScreen::wait(Duration time) {
  // The bytes of one key come close together.
  constexpr int kRestOfKeyMillis = 25;
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (::poll(&input, 1, bytes_.empty() ? static_cast<int>(millis) : kRestOfKeyMillis) > 0) {
    std::array<char, 256> some{};
    const ssize_t count = ::read(STDIN_FILENO, some.data(), some.size());
    if (count <= 0) {
      ended_ = true;
      return {};
    }
    bytes_.append(some.data(), static_cast<std::size_t>(count));
    if (auto keys = take_keys(bytes_, false); !keys.empty()) return keys;
  }
  return take_keys(bytes_, true);
}

bool LiveScreen::is_over() const { return ended_ || NotedInterrupt::came() || !session_.out(); }

}  // namespace holdfast::command
