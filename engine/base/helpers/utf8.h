// Whether bytes are text.
#pragma once

#include <boost/locale/utf.hpp>
#include <string_view>

namespace holdfast {

// Whole characters, and no surrogates.
inline bool is_valid_utf8(std::string_view bytes) {
  using boost::locale::utf::code_point, boost::locale::utf::illegal, boost::locale::utf::incomplete;
  const char* at = bytes.data();
  for (const char* end = at + bytes.size(); at != end;) {
    const code_point point = boost::locale::utf::utf_traits<char>::decode(at, end);
    if (point == illegal || point == incomplete) return false;
  }
  return true;
}

}  // namespace holdfast
