// The orders of the example, with what is wrong with each and how it ended.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "holdfast/broker.h"

namespace holdfast::example {

enum class Kind : std::uint8_t {
  kGood,
  kInvalid,    // fails its validation: a program can repair it
  kMalformed,  // breaks the schema: a person must look at it
  kSlow,       // the warehouse times out the first time
};
inline constexpr std::array kKinds = {Kind::kGood, Kind::kInvalid, Kind::kMalformed, Kind::kSlow};
std::string_view to_string(Kind kind);

std::string order_body(Kind kind, std::uint32_t number);

enum class End : std::uint8_t {
  kFirstTime,   // done without a failure
  kRedriven,    // done after a redrive without a change
  kRepaired,    // done after the reprocessor's edit
  kByHand,      // done after a person's edit
  kDiscarded,   // discarded by a person
  kUnfinished,  // anything else
};
inline constexpr std::array kEnds = {End::kFirstTime, End::kRedriven,  End::kRepaired,
                                     End::kByHand,    End::kDiscarded, End::kUnfinished};
std::string_view to_string(End end);

struct Order {
  Kind kind{};
  End end = End::kUnfinished;
};
using Orders = std::map<MessageId, Order>;

}  // namespace holdfast::example
