// A CallRule says what a call needs of its caller, and what its answer shows.
#pragma once

#include <cstdint>

#include "server/access/rights.h"

namespace holdfast::server {

enum class Need : std::uint8_t {
  kNothing,
  kAny,       // some right on some queue; the answer is of those queues
  kKnown,     // any right on the queues that the call names
  kQueues,    // the right on the queues that the call names; on all queues if it names none
  kCreates,   // the right on the queues that the call names, of which the first need not exist
  kReceipts,  // the right on some queue: receipts of others are concealed
  kAll,       // the right on all queues
};

// Says what an answer contains of messages: of their bodies, attributes and partial output.
enum class Content : std::uint8_t {
  kNone,
  kRedacted,  // all that the caller's rights do not hide: the call leaves the rest out
  kWhole,     // everything: the call is refused to callers from whom something is hidden
};

// CallRule is the rule of a method. One that says nothing needs the right to administer all queues, and to
// see everything.
struct CallRule {
  Need need = Need::kAll;
  Right right =
      Right::kAdminister;  // on the queues that `need` says; of no meaning for kNothing, kAny, kKnown
  Content content = Content::kWhole;
};

}  // namespace holdfast::server
