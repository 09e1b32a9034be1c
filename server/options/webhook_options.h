// What can be set about a Webhook.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "holdfast/time.h"

namespace holdfast::server {

// Who reads what a webhook is sent.
enum class WebhookShape : std::uint8_t {
  kJson,       // a program of one's own: all fields of up to `batch` events
  kSlack,      // an incoming webhook of Slack, or of what takes the same
  kPagerDuty,  // PagerDuty's Events API v2
  kTemplate,   // anything else that takes JSON: a template, filled in for each event
};

struct WebhookOptions {
  std::string url = {};  // "http://host/path" or https
  bool deaths = false;
  WebhookShape shape = WebhookShape::kJson;
  std::filesystem::path key = {};            // of kPagerDuty: the file that has the integration key
  std::filesystem::path template_file = {};  // of kTemplate

  // Events that wait to be told. Of more the oldest are dropped: counted, logged, and told with the next, as
  // are those that the hook refuses.
  std::size_t waiting = 4096;
  std::size_t batch = 100;  // events in one POST, at most; a shape may take fewer
  // After a POST that was not taken, doubling up to the second; the events wait.
  Duration backoff = std::chrono::seconds(1);
  Duration backoff_max = std::chrono::minutes(1);
};

}  // namespace holdfast::server
