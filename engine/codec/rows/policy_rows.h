// Policies within a queue's definition: varints in a fixed order, so that nothing is left out; new fields
// join at the end.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/policy.h"

namespace holdfast {

std::string encode_policy(const AutoRedrive& policy);
std::string encode_policy(const FloodBrake& brake);
std::string encode_policy(const AlertRules& rules);

// False if it does not decode.
bool decode_policy(std::string_view bytes, AutoRedrive& policy);
bool decode_policy(std::string_view bytes, FloodBrake& brake);
bool decode_policy(std::string_view bytes, AlertRules& rules);

}  // namespace holdfast
