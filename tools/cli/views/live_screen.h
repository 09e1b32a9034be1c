// A terminal that a verb draws on, and whose keys it gets.
#pragma once

#include <termios.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "holdfast/time.h"
#include "tools/cli/command_session.h"
#include "tools/cli/terminal/interrupt.h"
#include "tools/cli/terminal/terminal.h"
#include "tools/cli/views/keys.h"

namespace holdfast::command {

// While it is there the terminal shows another page, without a cursor, and keys arrive one by one and unseen.
// At its end, also after ctrl-C, all is as before.
class LiveScreen {
 public:
  // Whether there is a person to show something to.
  static bool is_possible(const CommandSession& session);

  explicit LiveScreen(CommandSession& session);
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen();

  Screen screen() const { return session_.screen(); }
  // Lines are printable, may have colours, and are no longer than the screen is wide.
  void draw(const std::vector<std::string>& lines);
  // The keys that were pressed, at the latest after so long.
  std::vector<Key> wait(Duration time);
  // Ctrl-C, or nobody is there any more.
  bool is_over() const;

 private:
  CommandSession& session_;
  NotedInterrupt interrupt_;
  termios before_ = {};
  std::string bytes_;  // of keys that are not whole yet
  bool ended_ = false;
};

}  // namespace holdfast::command
