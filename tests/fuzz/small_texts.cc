// Short texts that people write and files hold: addresses, URLs, grants, lines of tokens and of the log.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "schema/http/url.h"
#include "schema/transport/address.h"
#include "server/access/rights.h"
#include "server/access/tokens.h"
#include "server/logging/log_line.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {
namespace {

// Parses a word of the file of tokens.
Result<server::Rights> parse_word(std::string_view word) {
  server::Rights rights;
  if (auto added = server::add_word(rights, word); !added) return tl::unexpected(added.error());
  return rights;
}

std::optional<server::TokenEntry> parse_line(std::string_view line) {
  auto entry = server::parse_token_line(std::string(line));
  return entry ? std::move(*entry) : std::nullopt;
}

// Reads the input as a line of the log, and as the value of a field of such a line.
bool run_log_line(std::string_view input) {
  server::LogLine line("call refused");
  line.add("message", input).add("connection", 7);
  const auto read = server::parse_log_line(line.text());
  require(read.event == "call refused" && read.fields.size() == (input.empty() ? 1U : 2U),
          "a line of the log does not say what was written");
  return !server::parse_log_line(input).fields.empty();
}

}  // namespace

bool run_small_texts(std::string_view input) {
  const auto address_text = [](const transport::Address& address) { return transport::to_string(address); };
  const bool decoded[] = {must_come_back(input, transport::parse_address, address_text),
                          must_come_back(input, parse_word, server::words),
                          must_come_back(input, parse_line, server::token_line), run_log_line(input),
                          http::parse_url(input).has_value()};
  return std::ranges::find(decoded, true) != std::end(decoded);
}

std::vector<std::string> small_text_seeds() {
  return {
      "127.0.0.1:7700",
      "tls://example.org",
      "[::1]:1",
      "unix:/run/holdfast.sock",
      "produce,consume:orders-*",
      "all:*",
      "hide=body",
      "hide=attribute:card-number",
      ("app 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 produce:orders operate:log-* "
       "hide=body"),
      "call refused connection=7 error=overloaded message=\"too \\\"many\\\" calls\"",
      "http://localhost:8080/hook?a=b",
      "https://[::1]/"};
}

}  // namespace holdfast::fuzz
