// The query of a request's target, and the percent-encoding of its parts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// Nothing if it is badly encoded.
std::optional<std::string> decode_percent(std::string_view text);

// The query of a target by names, decoded. Nothing if it is badly encoded.
using Query = std::map<std::string, std::vector<std::string>>;
std::optional<Query> parse_query(std::string_view target);

}  // namespace holdfast::server
