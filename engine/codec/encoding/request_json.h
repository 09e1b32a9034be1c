// JSON that a client asks for something with.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "engine/codec/encoding/json.h"

namespace holdfast {

// As parse_json(), but an object with two members of one name is refused too: what reads it elsewhere, say to
// check it, could take the other one. The error is the end of a sentence, as json_fault() has it: "has the
// member 'body' twice in one object".
tl::expected<Json, std::string> parse_request_json(std::string_view text);

}  // namespace holdfast
