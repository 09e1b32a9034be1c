#include "server/sqs/format/sqs_digests.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>

namespace holdfast::server::sqs {
namespace {

void add_counted(std::string& to, std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  for (const unsigned shift : {24U, 16U, 8U, 0U}) to += static_cast<char>(size >> shift & 0xffU);
  to += bytes;
}

}  // namespace

std::string md5_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), made.data(), &size, EVP_md5(), nullptr);
  return hex({reinterpret_cast<const char*>(made.data()), size});
}

std::string md5_of(const TypedAttributes& attributes) {
  constexpr char kTextual = 1;
  constexpr char kBinary = 2;
  std::string all;
  for (const auto& [name, typed] : attributes) {
    add_counted(all, name);
    add_counted(all, typed.type);
    all += typed.is_binary() ? kBinary : kTextual;
    add_counted(all, typed.value);
  }
  return md5_hex(all);
}

}  // namespace holdfast::server::sqs
