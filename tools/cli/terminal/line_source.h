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
    kPause,  // nothing came for as long as was waited; there may be more
    kEnd,
    kBroken,  // it can't be read any further; a line that was begun is lost
  };

  virtual ~LineSource() = default;
  // A line without its line break; the last one may have none. Waits for it: for ever, or so long.
  virtual Got next(std::string& line) = 0;
  virtual Got next(std::string& line, std::chrono::milliseconds wait) = 0;
};

// Reads the file descriptor, which stays open. Nobody else may have read ahead of it.
std::unique_ptr<LineSource> lines_of(int descriptor);
// Never pauses, but waits.
std::unique_ptr<LineSource> lines_of(std::istream& in);

}  // namespace holdfast::command
