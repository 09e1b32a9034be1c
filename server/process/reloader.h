// Takes over changes of the configuration while the server runs.
#pragma once

#include <spdlog/logger.h>

#include "server/config/load.h"
#include "server/net/server.h"

namespace holdfast::server {

class Reloader {
 public:
  // References must outlive it.
  Reloader(const CommandLine& line, const Environment& environment, const Config& running, Server& server,
           spdlog::logger& log)
      : line_(line), environment_(environment), running_(running), server_(server), log_(log) {}

  // Reads everything again. Options that reload get their new values, all of them or, if anything is wrong,
  // none; the log says which, and which changes have to wait for the next start.
  void reload();

  // What holds.
  const Config& config() const { return running_; }

 private:
  const CommandLine& line_;
  const Environment& environment_;
  Config running_;
  Server& server_;
  spdlog::logger& log_;
};

}  // namespace holdfast::server
