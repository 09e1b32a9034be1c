// Rights say what a caller may do, queue by queue.
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

// Rights on the queues of a pattern, which is a name, or a beginning and '*'.
struct Grant {
  unsigned rights = 0;
  std::string queues;

  friend bool operator==(const Grant&, const Grant&) = default;
};

// Reads "produce:orders", "produce,consume:orders-*" or "all:*". kInvalidArgument for any other text.
Result<Grant> parse_grant(std::string_view text);
std::string to_string(const Grant& grant);

struct Rights {
  std::string name = {};   // the name of their holder, for the log
  std::string token = {};  // the hash of the token that gave them; empty if none did
  std::vector<Grant> grants = {};
  Redaction hidden = {};  // what no call shows to the holder, whatever the queue is

  bool allow(Right right, std::string_view queue) const;
  // Returns whether the right is granted on all queues, existing and future ones.
  bool allow_everywhere(Right right) const;
  // Returns whether any right on the queue is granted.
  bool know(std::string_view queue) const;

  friend bool operator==(const Rights&, const Rights&) = default;
};

// Adds what a word in the file of tokens says: a grant, "hide=body", or "hide=attribute:NAME", which may
// occur limits::kRedactedAttributes times. kInvalidArgument, kLimitExceeded.
Result<void> add_word(Rights& rights, std::string_view word);
// Writes the words for the rights, grants first: "produce:orders hide=body".
std::string words(const Rights& rights);
// Returns kInvalidArgument if something is hidden from a holder who may receive it.
Result<void> check_consistent(const Rights& rights);

}  // namespace holdfast::server
