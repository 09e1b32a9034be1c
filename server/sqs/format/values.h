// Checks of what requests say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/http/json/json_values.h"
#include "server/sqs/format/fault.h"
#include "server/sqs/format/limits.h"

namespace holdfast::server::sqs {

// Absent is an empty text.
std::string text_in(const Json& input, std::string_view name);
bool has(const Json& input, std::string_view name);

Outcome<void> check_range(std::int64_t value, const limits::Range& range, std::string_view name);
// Nothing if it is absent.
Outcome<std::optional<std::int64_t>> number_in(const Json& input, std::string_view name,
                                               const limits::Range& range);

// Only what the service takes: tab, line feed, carriage return and U+0020 to U+10FFFF without surrogates and
// without U+FFFE and U+FFFF, in UTF-8.
bool is_sendable(std::string_view text);
// With U+FFFD for all that is not.
std::string made_sendable(std::string_view text);

// 1..128 letters, digits and punctuation.
Outcome<void> check_id(std::string_view id, std::string_view name);

}  // namespace holdfast::server::sqs
