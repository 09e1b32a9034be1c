// Reads the JSON of a request.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "engine/codec/encoding/json.h"

namespace holdfast {

// Parses a text as parse_json() does, but also refuses an object with two members of one name: another reader
// of the same text, for example one that checks it, could take the other member. The error is the end of a
// sentence, in the words of json_fault(), or "has the member 'body' twice in one object".
tl::expected<Json, std::string> parse_request_json(std::string_view text);

}  // namespace holdfast
