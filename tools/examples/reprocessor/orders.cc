#include "tools/examples/reprocessor/orders.h"

#include <fmt/format.h>

namespace holdfast::example {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kGood:
      return "good";
    case Kind::kInvalid:
      return "invalid";
    case Kind::kMalformed:
      return "malformed";
    case Kind::kSlow:
      break;
  }
  return "slow";
}

std::string_view to_string(End end) {
  switch (end) {
    case End::kFirstTime:
      return "first time";
    case End::kRedriven:
      return "redriven";
    case End::kRepaired:
      return "repaired";
    case End::kByHand:
      return "by hand";
    case End::kDiscarded:
      return "discarded";
    case End::kUnfinished:
      break;
  }
  return "unfinished";
}

std::string order_body(Kind kind, std::uint32_t number) {
  switch (kind) {
    case Kind::kInvalid:
      return fmt::format(R"({{"order":{},"quantity":-1}})", number);
    case Kind::kMalformed:
      return fmt::format(R"({{"order":{},"quantity":)", number);
    case Kind::kSlow:
      return fmt::format(R"({{"order":{},"quantity":1,"warehouse":"far away"}})", number);
    case Kind::kGood:
      break;
  }
  return fmt::format(R"({{"order":{},"quantity":1}})", number);
}

}  // namespace holdfast::example
