// Takes changes of the configuration over while the server runs.
#pragma once

#include <spdlog/logger.h>

#include "server/config/load.h"
#include "server/net/server.h"

namespace holdfast::server {

class Reloader {
 public:
  // The arguments must outlive it, except `running`, which is copied.
  Reloader(const CommandLine& line, const Environment& environment, const Config& running, Server& server,
           spdlog::logger& log)
      : line_(line), environment_(environment), running_(running), server_(server), log_(log) {}

  // Reads the configuration again. The options that reload get their new values: all of them or, if anything
  // is wrong, none. The log says which options changed, and which changes wait for the next start.
  void reload();

  // Returns the configuration that is in effect.
  const Config& config() const { return running_; }

 private:
  const CommandLine& line_;
  const Environment& environment_;
  Config running_;
  Server& server_;
  spdlog::logger& log_;
};

}  // namespace holdfast::server
