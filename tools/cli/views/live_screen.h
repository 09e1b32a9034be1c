// LiveScreen is a terminal on which a verb draws, and whose keys it receives.
#pragma once

#include <termios.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "holdfast/time.h"
#include "tools/cli/command_session.h"
#include "tools/cli/terminal/interrupt.h"
#include "tools/cli/terminal/terminal.h"
#include "tools/cli/views/pressed_keys.h"

namespace holdfast::command {

// While the object exists, the terminal shows another page without a cursor, and keys arrive one by one
// without being shown. At its end, also after Ctrl-C, the terminal is as it was before.
class LiveScreen {
 public:
  // Returns whether there is a person to show something to.
  static bool is_possible(const CommandSession& session);

  explicit LiveScreen(CommandSession& session);
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen();

  Screen screen() const { return session_.screen(); }
  // Draws lines. They must be printable, may have colours, and must be no longer than the screen is wide.
  void draw(const std::vector<std::string>& lines);
  // Returns the keys that were pressed. It returns after `time` at the latest.
  std::vector<Key> wait(Duration time);
  // Returns whether Ctrl-C was pressed or nobody is there any more.
  bool is_over() const;

 private:
  CommandSession& session_;
  NotedInterrupt interrupt_;
  termios before_ = {};
  std::string bytes_;  // bytes of keys that are not whole yet
  bool ended_ = false;
};

}  // namespace holdfast::command
