// Lines of an input that may pause.
#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>

namespace holdfast::command {

class LineSource {
 public:
  enum class Got {
    kLine,
    kPause,  // nothing came in the given time; there may be more
    kEnd,
    kBroken,  // the input cannot be read any further; a line that was begun is lost
  };

  virtual ~LineSource() = default;
  // Reads a line without its line break, which the last line may lack. Waits for it, for ever or for `wait`.
  virtual Got next(std::string& line) = 0;
  virtual Got next(std::string& line, std::chrono::milliseconds wait) = 0;
};

// Reads the file descriptor, which stays open. Nobody else may have read ahead of it.
std::unique_ptr<LineSource> lines_of(int descriptor);
// Reads the stream. It never pauses, but waits.
std::unique_ptr<LineSource> lines_of(std::istream& in);

}  // namespace holdfast::command
