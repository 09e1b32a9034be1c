// FilterAnswer is the answer of a filter program about one dead letter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/redrive.h"

namespace holdfast::command {

struct FilterAnswer {
  enum class Action : std::uint8_t { kRedrive, kSkip, kDiscard } action = Action::kSkip;
  RedriveEdit edit = {};  // for kRedrive
};

// kInvalidArgument says what is wrong.
Result<FilterAnswer> parse_filter_answer(std::string_view line);

}  // namespace holdfast::command
