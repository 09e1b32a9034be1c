// What can be set about the door for clients of Amazon SQS.
#pragma once

#include <chrono>
#include <string>

namespace holdfast::server {

struct SqsOptions {
  // In the URLs and ARNs of queues. There is one scope: requests for other ones are answered all the same.
  std::string account = "000000000000";
  std::string region = "us-east-1";
  // How long after a deletion a queue cannot be made anew, and after a purge not be purged; 0: at once.
  std::chrono::seconds cooldown{60};
};

}  // namespace holdfast::server
