// The servers that are measured. Each is started here, with a port of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/pipeline/process.h"

namespace holdfast::bench {

class HttpServer {
 public:
  // Starts a server. `command` makes the command for a port; the server is ready when it accepts connections
  // there. `log` gets its output. An entry of `environment` without a value ("PORT=") gets the port.
  HttpServer(const std::function<std::vector<std::string>(const std::string& port)>& command,
             const std::filesystem::path& log, const std::vector<std::string>& environment = {});

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return process_.pid(); }

 private:
  std::vector<std::string> environment_of(const std::vector<std::string>& environment) const;

  const std::uint16_t port_;
  Process process_;
};

std::unique_ptr<HttpServer> start_holdfastd(const std::filesystem::path& directory);
std::unique_ptr<HttpServer> start_echo(const std::filesystem::path& directory);
// Starts a server that bench/http/servers/package.json has brought into `npm`.
std::unique_ptr<HttpServer> start_fauxqs(const std::filesystem::path& npm,
                                         const std::filesystem::path& directory);

}  // namespace holdfast::bench
