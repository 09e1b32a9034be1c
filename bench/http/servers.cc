#include "bench/http/servers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;

bool accepts(std::uint16_t port) {
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  boost::system::error_code error;
  socket.connect({asio::ip::address_v4::loopback(), port}, error);
  return !error;
}

std::string node(const std::filesystem::path& npm) { return npm / "node_modules/node/bin/node"; }

}  // namespace

HttpServer::HttpServer(const std::function<std::vector<std::string>(const std::string& port)>& command,
                       const std::filesystem::path& log, const std::vector<std::string>& environment)
    : port_(free_port()), process_(command(std::to_string(port_)), log, environment_of(environment)) {
  wait_until_ready(process_, log, [this] { return accepts(port_); });
}

std::vector<std::string> HttpServer::environment_of(const std::vector<std::string>& environment) const {
  std::vector<std::string> made = environment;
  for (std::string& entry : made) {
    if (entry.ends_with('=')) entry += std::to_string(port_);
  }
  return made;
}

std::unique_ptr<HttpServer> start_holdfastd(const std::filesystem::path& directory) {
  return std::make_unique<HttpServer>(
      [&](const std::string& port) {
        return std::vector<std::string>{HOLDFASTD,           "--data",         directory / "holdfastd",
                                        "--listen",          "127.0.0.1:0",    "--http-listen",
                                        "127.0.0.1:" + port, "--sqs-cooldown", "0"};
      },
      directory / "holdfastd.log");
}

std::unique_ptr<HttpServer> start_echo(const std::filesystem::path& directory) {
  return std::make_unique<HttpServer>(
      [](const std::string& port) {
        return std::vector<std::string>{"/proc/self/exe", "serve-echo", port};
      },
      directory / "echo.log");
}

std::unique_ptr<HttpServer> start_fauxqs(const std::filesystem::path& npm,
                                         const std::filesystem::path& directory) {
  return std::make_unique<HttpServer>(
      [&](const std::string& /*port*/) {
        return std::vector<std::string>{node(npm), npm / "node_modules/fauxqs/dist/server.js"};
      },
      directory / "fauxqs.log",
      std::vector<std::string>{"FAUXQS_LOGGER=false", "FAUXQS_HOST=127.0.0.1", "FAUXQS_PORT="});
}

}  // namespace holdfast::bench
