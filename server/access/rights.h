// What somebody may do, queue by queue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/message.h"

namespace holdfast::server {

enum class Right : unsigned {
  kProduce = 1,     // send
  kConsume = 2,     // receive and settle
  kOperate = 4,     // look at and move messages and dead letters, pause
  kAdminister = 8,  // create, change, delete and purge queues; with "*" also backups and checks
};

// Rights on the queues of a pattern: a name, or a beginning and '*'.
struct Grant {
  unsigned rights = 0;
  std::string queues;

  friend bool operator==(const Grant&, const Grant&) = default;
};

// "produce:orders", "produce,consume:orders-*", "all:*". kInvalidArgument.
Result<Grant> parse_grant(std::string_view text);
std::string to_string(const Grant& grant);

struct Rights {
  std::string name = {};   // whose they are, for the log
  std::string token = {};  // the hash of the one that gave them; empty: none did
  std::vector<Grant> grants = {};
  Redaction hidden = {};  // what no call shows, of whatever queue

  bool allow(Right right, std::string_view queue) const;
  // On all queues that there are and will be.
  bool allow_everywhere(Right right) const;
  // Any right at all.
  bool know(std::string_view queue) const;

  friend bool operator==(const Rights&, const Rights&) = default;
};

// Adds what a word of the file of tokens says: a grant, "hide=body" or "hide=attribute:NAME", which may be
// there limits::kRedactedAttributes times. kInvalidArgument, kLimitExceeded.
Result<void> add_word(Rights& rights, std::string_view word);
// All of them, grants first: "produce:orders hide=body".
std::string words(const Rights& rights);
// kInvalidArgument if something is hidden from who may receive it.
Result<void> check_consistent(const Rights& rights);

}  // namespace holdfast::server
