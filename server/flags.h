// The command line of holdfastd.
#pragma once

#include <spdlog/common.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "server/server.h"

namespace holdfast::server {

struct Flags {
  std::filesystem::path data;
  ServerOptions server;
  std::chrono::seconds stop_timeout{10};
  std::uint64_t free_space_reserve = EngineOptions{}.free_space_reserve;
  spdlog::level::level_enum log_level = spdlog::level::info;
};

struct ExitStatus {
  int value;
};

// The flags; or the exit status, after --help and --version were answered on `out`, or an error on `err`.
std::variant<Flags, ExitStatus> parse_flags(const std::vector<std::string>& arguments, std::ostream& out,
                                            std::ostream& err);

}  // namespace holdfast::server
