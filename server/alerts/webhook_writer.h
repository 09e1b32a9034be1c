// Writes events in the form that a webhook's shape wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "holdfast/error.h"
#include "holdfast/event.h"
#include "server/alerts/alert_template.h"
#include "server/options/webhook_options.h"

namespace holdfast::server {

class WebhookWriter {
 public:
  // Reads the files that the options name. kInvalidArgument names the option that is wrong.
  static Result<WebhookWriter> make(const WebhookOptions& options);

  // Returns how many events one POST may have.
  std::size_t batch() const { return batch_; }

  // Events that were dropped since the last POST, and the time of the newest event at that moment.
  struct Dropped {
    std::uint64_t count = 0;
    Timestamp at{};
  };
  // Writes at most batch() events, in order. `events` may be empty if some were dropped. Bytes that are not
  // UTF-8 are replaced.
  std::string write(std::span<const Event> events, const Dropped& dropped) const;
  // Returns whether what write() makes of these events tells how many were dropped.
  bool tells_dropped(std::span<const Event> events) const;

 private:
  WebhookWriter() = default;

  WebhookShape shape_ = WebhookShape::kJson;
  std::size_t batch_ = 1;
  std::string key_;
  std::optional<AlertTemplate> template_;
};

}  // namespace holdfast::server
