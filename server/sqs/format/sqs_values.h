// Reads and checks values of requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/http/json/json_values.h"
#include "server/sqs/format/fault.h"
#include "server/sqs/format/sqs_limits.h"

namespace holdfast::server::sqs {

// Returns a text; an absent one is empty.
std::string text_in(const Json& input, std::string_view name);
bool has(const Json& input, std::string_view name);

Outcome<void> check_range(std::int64_t value, const limits::Range& range, std::string_view name);
// Returns a number within `range`; nothing if it is absent.
Outcome<std::optional<std::int64_t>> number_in(const Json& input, std::string_view name,
                                               const limits::Range& range);

// Returns whether the service accepts the text: it may have only tab, line feed, carriage return and U+0020
// to U+10FFFF, without surrogates, U+FFFE and U+FFFF, in UTF-8.
bool is_sendable(std::string_view text);
// Returns the text with U+FFFD for everything that is_sendable() refuses.
std::string made_sendable(std::string_view text);

// Checks that an id has 1 to 128 letters, digits and punctuation characters.
Outcome<void> check_id(std::string_view id, std::string_view name);

}  // namespace holdfast::server::sqs
