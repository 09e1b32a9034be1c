// This header declares options for clients of Amazon SQS.
#pragma once

#include <chrono>
#include <string>

namespace holdfast::server {

struct SqsOptions {
  // `account` is the account in the URLs and ARNs of queues. There is only one: requests that name another
  // account or region are answered too.
  std::string account = "000000000000";
  std::string region = "us-east-1";
  // For this long a deleted queue cannot be created again, nor a purged one purged again. 0 means no time.
  std::chrono::seconds cooldown{60};
};

}  // namespace holdfast::server
