// Short texts that people write and files hold: addresses, URLs, grants.
#include <algorithm>
#include <iterator>

#include "fuzz/target.h"
#include "http/url.h"
#include "server/access/rights.h"
#include "transport/address.h"

namespace holdfast::fuzz {
namespace {

// A word of the file of tokens.
Result<server::Rights> parse_word(std::string_view word) {
  server::Rights rights;
  if (auto added = server::add_word(rights, word); !added) return tl::unexpected(added.error());
  return rights;
}

}  // namespace

bool run_small_texts(std::string_view input) {
  const auto address_text = [](const transport::Address& address) { return transport::to_string(address); };
  const bool decoded[] = {must_come_back(input, transport::parse_address, address_text),
                          must_come_back(input, parse_word, server::words),
                          http::parse_url(input).has_value()};
  return std::ranges::find(decoded, true) != std::end(decoded);
}

std::vector<std::string> small_text_seeds() {
  return {"127.0.0.1:7700",
          "tls://example.org",
          "[::1]:1",
          "unix:/run/holdfast.sock",
          "produce,consume:orders-*",
          "all:*",
          "hide=body",
          "hide=attribute:card-number",
          "http://localhost:8080/hook?a=b",
          "https://[::1]/"};
}

}  // namespace holdfast::fuzz
