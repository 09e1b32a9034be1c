// Everything that can be set about holdfastd.
#pragma once

#include <spdlog/common.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "schema/tls/tls.h"
#include "server/options/archive_options.h"
#include "server/options/server_options.h"
#include "server/options/webhook_options.h"

namespace holdfast::server {

enum class LogFormat : std::uint8_t { kText, kJson };

// The members' initial values are the defaults. option_table() has the options' names.
struct Config {
  std::filesystem::path data;
  ServerOptions server;
  WebhookOptions webhook;  // without a URL there is no webhook
  ArchiveOptions archive;
  std::chrono::seconds stop_timeout{10};
  std::uint64_t free_space_reserve = EngineOptions{}.free_space_reserve;
  std::uint64_t write_buffer = EngineOptions{}.write_buffer_bytes;
  std::filesystem::path tokens = {};    // empty: no access control
  transport::TlsFiles tls = {};         // its `ca` signs the certificates of clients
  std::filesystem::path pid_file = {};  // empty: no file
  std::string metrics_listen = {};      // empty: no metrics
  std::vector<std::string> metrics_hosts = {};
  spdlog::level::level_enum log_level = spdlog::level::info;
  LogFormat log_format = LogFormat::kText;
};

}  // namespace holdfast::server
