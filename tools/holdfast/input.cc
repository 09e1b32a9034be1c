#include "input.h"

#include <array>
#include <istream>

namespace holdfast::command {

Error unreadable(const std::string& name) { return {ErrorCode::kInvalidArgument, "cannot read " + name}; }

// A stream's own calls turn what its buffer throws, as of a directory, into badbit; iterators let it out.
Result<std::string> read_all(std::istream& in, const std::string& name) {
  std::string bytes;
  std::array<char, 65536> some{};
  do {
    in.read(some.data(), some.size());
    bytes.append(some.data(), static_cast<std::size_t>(in.gcount()));
  } while (in);
  if (in.bad() || !in.eof()) return tl::unexpected(unreadable(name));
  return bytes;
}

}  // namespace holdfast::command
