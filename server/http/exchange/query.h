// Reads the query of a request's target, and decodes its percent-encoding.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// Returns nothing if the text is badly encoded.
std::optional<std::string> decode_percent(std::string_view text);

// Query is the query of a target by names, decoded. parse_query() returns nothing if it is badly encoded.
using Query = std::map<std::string, std::vector<std::string>>;
std::optional<Query> parse_query(std::string_view target);

}  // namespace holdfast::server
