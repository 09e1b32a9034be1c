// Tells whether bytes are text, and where text may be cut.
#pragma once

#include <boost/locale/utf.hpp>
#include <cstddef>
#include <string_view>

namespace holdfast {

// Returns whether the bytes are whole characters of UTF-8 without surrogates.
inline bool is_valid_utf8(std::string_view bytes) {
  using boost::locale::utf::code_point, boost::locale::utf::illegal, boost::locale::utf::incomplete;
  const char* at = bytes.data();
  for (const char* end = at + bytes.size(); at != end;) {
    const code_point point = boost::locale::utf::utf_traits<char>::decode(at, end);
    if (point == illegal || point == incomplete) return false;
  }
  return true;
}

// Returns the first `bytes` bytes of a text, or fewer, so that no character is cut in two.
inline std::string_view start_of_text(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  // Goes back by at most 3 bytes. More continuation bytes in a row are not UTF-8, and may be cut anywhere.
  std::size_t end = bytes;
  for (int i = 0; i < 3 && end > 0 && is_continuation(text[end]); ++i) --end;
  return text.substr(0, end);
}

}  // namespace holdfast
