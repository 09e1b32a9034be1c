// What a call needs of whoever makes it, and what its answer shows.
#pragma once

#include <cstdint>

#include "server/access/rights.h"

namespace holdfast::server {

enum class Need : std::uint8_t {
  kNothing,
  kAny,       // some right on some queue; the answer is of those queues
  kKnown,     // any right on the queues that it names
  kQueues,    // the right on the queues that it names; if it names none, on all
  kCreates,   // likewise; the first of them need not be there
  kReceipts,  // the right on some queue: receipts of others are concealed
  kAll,       // the right on all queues
};

// What of messages an answer has: bodies, attributes, partial output.
enum class Content : std::uint8_t {
  kNone,
  kRedacted,  // but for what the caller's rights hide: the call leaves that out
  kWhole,     // so it is refused to whom something is hidden
};

// The rule of a method. One that says nothing needs the right to administer all queues, and to see
// everything.
struct CallRule {
  Need need = Need::kAll;
  Right right =
      Right::kAdminister;  // on the queues that `need` says; of no meaning for kNothing, kAny, kKnown
  Content content = Content::kWhole;
};

}  // namespace holdfast::server
