#include "server/http/exchange/query.h"

#include <algorithm>
#include <boost/url/pct_string_view.hpp>

namespace holdfast::server {
namespace {

// A plus sign in a query means a blank, as in HTML forms.
std::optional<std::string> decode_form(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, '+', ' ');
  return decode_percent(blanks);
}

}  // namespace

std::optional<std::string> decode_percent(std::string_view text) {
  const auto decoded = boost::urls::make_pct_string_view(text);
  if (!decoded) return std::nullopt;
  return decoded->decode();
}

std::optional<Query> parse_query(std::string_view target) {
  Query query;
  const std::size_t mark = target.find('?');
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    if (entry.empty()) continue;
    const std::size_t sign = std::min(entry.find('='), entry.size());
    const auto name = decode_form(entry.substr(0, sign));
    auto value = decode_form(entry.substr(std::min(sign + 1, entry.size())));
    if (!name || !value) return std::nullopt;
    query[*name].push_back(*std::move(value));
  }
  return query;
}

}  // namespace holdfast::server
