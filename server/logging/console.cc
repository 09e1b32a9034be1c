#include "server/logging/console.h"

#include <spdlog/fmt/fmt.h>

#include <ostream>

#include "holdfast/error.h"

namespace holdfast::server {
namespace {

constexpr unsigned char kDelete = 0x7f;

// Returns whether the bytes are one of U+0080 to U+009F in UTF-8.
bool is_high_control(unsigned char lead, unsigned char c) { return lead == 0xc2 && c >= 0x80 && c < 0xa0; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (is_high_control(c, next)) {
      result += fmt::format("\\u{:04x}", next);
      ++i;
    } else if (c < ' ' || c == kDelete) {
      result += fmt::format("\\x{:02x}", c);
    } else {
      result += text[i];
    }
  }
  return result;
}

int finish(int status, std::string_view program, std::ostream& out, std::ostream& err) {
  if (out.flush() || status != 0) return status;
  err << program << ": the output could not be written\n";
  return error_info(ErrorCode::kStorageFailed).exit_status;
}

}  // namespace holdfast::server
