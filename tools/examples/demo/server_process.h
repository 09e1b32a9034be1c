// A holdfastd of the demo's own.
#pragma once

#include <filesystem>
#include <string>

#include "tools/examples/demo/process.h"

namespace holdfast::demo {

class ServerProcess {
 public:
  // Starts a server on a port that the system picks.
  static Result<ServerProcess> start(const std::filesystem::path& program, const std::filesystem::path& data,
                                     const std::filesystem::path& log);

  const std::string& address() const { return address_; }

  // Kills the server with SIGKILL, and starts it again with the same data at the same address.
  Result<void> kill_and_restart();

  // Ends the server with SIGTERM. Returns an error if its exit status is not 0.
  Result<void> stop();

 private:
  ServerProcess(std::filesystem::path program, std::filesystem::path data, std::filesystem::path log,
                Process process, std::string address);

  std::filesystem::path program_;
  std::filesystem::path data_;
  std::filesystem::path log_;
  Process process_;
  std::string address_;
};

}  // namespace holdfast::demo
