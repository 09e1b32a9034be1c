// Writes events as a webhook's shape wants them.
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
  // Reads the files that the options name. kInvalidArgument says which option is wrong.
  static Result<WebhookWriter> make(const WebhookOptions& options);

  // How many events one POST may have.
  std::size_t batch() const { return batch_; }

  // Events that were dropped since the last POST, and when that was noticed.
  struct Dropped {
    std::uint64_t count = 0;
    Timestamp at{};
  };
  // At most batch() events, in order, or none if some were dropped. Bytes that are not UTF-8 are replaced.
  std::string write(std::span<const Event> events, const Dropped& dropped) const;

 private:
  WebhookWriter() = default;

  WebhookShape shape_ = WebhookShape::kJson;
  std::size_t batch_ = 1;
  std::string key_;
  std::optional<AlertTemplate> template_;
};

}  // namespace holdfast::server
