// Policies within a queue's definition are varints in a fixed order, none of them left out. New fields join
// at the end.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/policy.h"

namespace holdfast {

std::string encode_policy(const AutoRedrive& policy);
std::string encode_policy(const FloodBrake& brake);
std::string encode_policy(const AlertRules& rules);

// Each decode_policy() returns false if the bytes do not decode.
bool decode_policy(std::string_view bytes, AutoRedrive& policy);
bool decode_policy(std::string_view bytes, FloodBrake& brake);
bool decode_policy(std::string_view bytes, AlertRules& rules);

}  // namespace holdfast
