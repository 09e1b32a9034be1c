// Everything that can be set about holdfastd.
#pragma once

#include <spdlog/common.h>

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "server/server.h"

namespace holdfast::server {

// The defaults are those of the members; option_table() has their names.
struct Config {
  std::filesystem::path data;
  ServerOptions server;
  std::chrono::seconds stop_timeout{10};
  std::uint64_t free_space_reserve = EngineOptions{}.free_space_reserve;
  spdlog::level::level_enum log_level = spdlog::level::info;
};

}  // namespace holdfast::server
