// Notes Ctrl-C, and that a terminal or a reader has gone, so that they do not end the command at once.
#pragma once

#include <array>

namespace holdfast::command {

// While an object exists, SIGINT, SIGTERM, SIGHUP (unless it is ignored, as under nohup) and SIGPIPE are
// noted. A second one, except SIGPIPE, ends the process as usual, so that nobody is stuck with a command that
// does not look. There may be one object at a time.
class NotedInterrupt {
 public:
  NotedInterrupt();
  NotedInterrupt(const NotedInterrupt&) = delete;
  NotedInterrupt& operator=(const NotedInterrupt&) = delete;
  ~NotedInterrupt();

  // Returns the signal that came; 0 if none did.
  static int signal();
  static bool came() { return signal() != 0; }

 private:
  using Handler = void (*)(int);
  std::array<Handler, 4> before_;
};

}  // namespace holdfast::command
