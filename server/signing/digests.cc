#include "server/signing/digests.h"

#include <openssl/evp.h>

#include <array>

namespace holdfast::server {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), made.data(), &size, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(made.data()), size};
}

std::string hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

}  // namespace holdfast::server
