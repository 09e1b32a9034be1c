// Served is an engine, a server over it and a client of the server, for tests that need the whole way.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "server/net/server.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {

class Served {
 public:
  enum class Over { kTcp, kUnix };

  explicit Served(Over over, EngineOptions options = {}, std::size_t io_threads = 1)
      : options_(std::move(options)), io_threads_(io_threads) {
    address_ = over == Over::kTcp ? "127.0.0.1:0" : "unix:" + (directory_ / "socket").string();
    start();
  }
  ~Served() { stop(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  void start() {
    engine_.emplace(must(Engine::open(directory_ / "data", options_)));
    server_.emplace(must(server::Server::start(*engine_, {.listen = {address_}, .io_threads = io_threads_})));
    address_ = server_->addresses().front();
  }

  // Does not wait for calls that are in flight.
  void stop() {
    server_.reset();
    engine_.reset();
  }

  Client connect(ClientOptions options = {}) {
    options.reconnect_delay = std::chrono::microseconds(100);
    options.reconnect_delay_max = std::chrono::milliseconds(1);
    return must(Client::connect(address_, options));
  }

  const std::string& address() const { return address_; }
  Engine& engine() { return *engine_; }
  server::Server& server() { return *server_; }

 private:
  TempDir directory_;
  EngineOptions options_;
  std::size_t io_threads_;
  std::string address_;
  std::optional<Engine> engine_;
  std::optional<server::Server> server_;
};

}  // namespace holdfast::testing
