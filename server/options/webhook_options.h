// This header declares options of a Webhook.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "holdfast/time.h"

namespace holdfast::server {

// WebhookShape is the kind of receiver that reads what a webhook is sent.
enum class WebhookShape : std::uint8_t {
  kJson,       // a program of one's own; it gets all fields of up to `batch` events
  kSlack,      // an incoming webhook of Slack, or of a service with the same form
  kPagerDuty,  // PagerDuty's Events API v2
  kTemplate,   // anything else that takes JSON; a template is filled in for each event
};

struct WebhookOptions {
  std::string url = {};  // "http://host/path" or "https://host/path"
  bool deaths = false;
  WebhookShape shape = WebhookShape::kJson;
  std::filesystem::path key = {};            // for kPagerDuty: the file that has the integration key
  std::filesystem::path template_file = {};  // for kTemplate: the file that has the template

  // `waiting` is the most events that wait to be told. Beyond it the oldest are dropped. Dropped events are
  // counted and logged, and the next POST tells how many there were; so are those that the hook refuses.
  std::size_t waiting = 4096;
  std::size_t batch = 100;  // the most events in one POST; a shape may take fewer
  // After a POST that was not taken, the events wait for `backoff`. It doubles with each try, up to
  // `backoff_max`.
  Duration backoff = std::chrono::seconds(1);
  Duration backoff_max = std::chrono::minutes(1);
};

}  // namespace holdfast::server
