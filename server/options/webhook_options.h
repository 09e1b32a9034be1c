// What can be set about a Webhook.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "holdfast/time.h"

namespace holdfast::server {

struct WebhookOptions {
  std::string url = {};  // "http://host/path" or https
  bool deaths = false;

  // Events that wait to be told. Of more the oldest are dropped: counted, logged, and told with the next, as
  // are those that the hook refuses.
  std::size_t waiting = 4096;
  std::size_t batch = 100;  // events in one POST, at most
  // After a POST that was not taken, doubling up to the second; the events wait.
  Duration backoff = std::chrono::seconds(1);
  Duration backoff_max = std::chrono::minutes(1);
};

}  // namespace holdfast::server
