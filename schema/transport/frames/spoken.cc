#include "schema/transport/frames/spoken.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <string_view>

namespace holdfast::transport {
namespace {

// Requests of HTTP begin like this, including HTTP/2 without TLS, and so does a response. As the first number
// of a message each would be far beyond kMaxFirstWord.
constexpr std::array<std::string_view, 11> kHttpBeginnings = {"GET ", "HEAD", "POST", "PUT ", "DELE", "OPTI",
                                                              "PATC", "CONN", "TRAC", "PRI ", "HTTP"};

// Returns whether the bytes begin a TLS record: its type, and version 3.x. No message begins like that.
constexpr bool is_tls(std::uint32_t first) {
  const std::uint32_t type = first & 0xff;
  return type >= 20 && type <= 23 && (first >> 8 & 0xff) == 3 && (first >> 16 & 0xff) <= 4;
}

}  // namespace

Spoken spoken_by(std::span<const std::byte, kSpokenBytes> first) {
  std::uint32_t number = 0;
  std::memcpy(&number, first.data(), sizeof(number));
  boost::endian::little_to_native_inplace(number);
  if (number < kMaxFirstWord) return Spoken::kMessages;
  if (is_tls(number)) return Spoken::kTls;
  std::array<char, kSpokenBytes> text{};
  std::memcpy(text.data(), first.data(), text.size());
  const bool http =
      std::ranges::find(kHttpBeginnings, std::string_view(text.data(), text.size())) != kHttpBeginnings.end();
  return http ? Spoken::kHttp : Spoken::kUnknown;
}

}  // namespace holdfast::transport
