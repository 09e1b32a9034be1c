#include "tools/cli/terminal/line_source.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <istream>

namespace holdfast::command {
namespace {

class DescriptorLines : public LineSource {
 public:
  explicit DescriptorLines(int descriptor) : descriptor_(descriptor) {}

  Got next(std::string& line) override { return next(line, std::chrono::milliseconds(-1)); }

  Got next(std::string& line, std::chrono::milliseconds wait) override {
    for (;;) {
      if (const auto end = buffer_.find('\n', looked_at_); end != std::string::npos) {
        line.assign(buffer_, begin_, end - begin_);
        begin_ = looked_at_ = end + 1;
        return Got::kLine;
      }
      looked_at_ = buffer_.size();
      if (ended_) return last(line);
      pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&input, 1, static_cast<int>(wait.count()));
      if (ready == 0) return Got::kPause;
      if (ready < 0 && errno != EINTR) return Got::kBroken;
      if (ready > 0 && !read_more()) return Got::kBroken;
    }
  }

 private:
  // Takes what the input ends with, which has no line break.
  Got last(std::string& line) {
    if (begin_ == buffer_.size()) return Got::kEnd;
    line = buffer_.substr(begin_);
    begin_ = buffer_.size();
    return Got::kLine;
  }

  bool read_more() {
    buffer_.erase(0, begin_);
    looked_at_ -= begin_;
    begin_ = 0;
    std::array<char, 65536> some{};
    const ssize_t count = ::read(descriptor_, some.data(), some.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    ended_ = count == 0;
    buffer_.append(some.data(), static_cast<std::size_t>(count));
    return true;
  }

  int descriptor_;
  std::string buffer_;
  std::size_t begin_ = 0;      // where the next line begins
  std::size_t looked_at_ = 0;  // there is no line break from begin_ to here
  bool ended_ = false;
};

class StreamLines : public LineSource {
 public:
  explicit StreamLines(std::istream& in) : in_(in) {}

  Got next(std::string& line) override {
    if (std::getline(in_, line)) return Got::kLine;
    return in_.bad() ? Got::kBroken : Got::kEnd;
  }
  Got next(std::string& line, std::chrono::milliseconds) override { return next(line); }

 private:
  std::istream& in_;
};

}  // namespace

std::unique_ptr<LineSource> lines_of(int descriptor) { return std::make_unique<DescriptorLines>(descriptor); }

std::unique_ptr<LineSource> lines_of(std::istream& in) { return std::make_unique<StreamLines>(in); }

}  // namespace holdfast::command
