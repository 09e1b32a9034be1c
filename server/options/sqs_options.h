// Options for clients of Amazon SQS.
#pragma once

#include <chrono>
#include <string>

namespace holdfast::server {

struct SqsOptions {
  // The account in the URLs and ARNs of queues. There is only one: requests that name another account or
  // region are answered too.
  std::string account = "000000000000";
  std::string region = "us-east-1";
  // How long a deleted queue cannot be created again, and a purged one not be purged again. 0 means no time.
  std::chrono::seconds cooldown{60};
};

}  // namespace holdfast::server
