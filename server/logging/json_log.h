// JsonLog is the log as JSON.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace holdfast::server {

// Formats a line of the log as an object: {"time": "2026-03-01T09:30:00.412Z", "level": "warning", "event":
// "call refused", "connection": 7, ...}, with the fields of the line (log_line.h). Numbers stay numbers.
class JsonLog final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& to) override;
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonLog>(); }
};

}  // namespace holdfast::server
