// Ctrl-C, or a terminal or a reader who has gone, noted instead of ending the command.
#pragma once

#include <array>

namespace holdfast::command {

// While one is there, SIGINT, SIGTERM, SIGHUP (unless it is ignored, as under nohup) and SIGPIPE are noted. A
// second one, but for SIGPIPE, ends the process as usual, so that nobody is stuck with a command that does
// not come to look. One at a time.
class NotedInterrupt {
 public:
  NotedInterrupt();
  NotedInterrupt(const NotedInterrupt&) = delete;
  NotedInterrupt& operator=(const NotedInterrupt&) = delete;
  ~NotedInterrupt();

  // The signal that came; 0: none.
  static int signal();
  static bool came() { return signal() != 0; }

 private:
  using Handler = void (*)(int);
  std::array<Handler, 4> before_;
};

}  // namespace holdfast::command
