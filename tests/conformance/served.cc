#include <spdlog/sinks/null_sink.h>

#include <optional>

#include "conformance/conformance.h"
#include "holdfast/client.h"
#include "server/server.h"
#include "support/engine_time.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A client of a server in this process, over TCP.
class Served final : public BrokerUnderTest {
 public:
  Served() { open(); }
  ~Served() override { close(); }

  Broker& broker() override { return *client_; }
  void run_due() override { run_due_until_quiet(*engine_, clock()); }
  void reopen() override {
    close();
    open();
  }

 private:
  void open() {
    engine_.emplace(must(Engine::open(directory_ / "data", {.clock = &clock(), .background = false})));
    auto log = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(
        must(server::Server::start(*engine_, {.listen = {"127.0.0.1:0"}, .log = std::move(log)})));
    client_.emplace(must(Client::connect(server_->addresses().front())));
  }

  void close() {
    client_.reset();
    server_->stop(10s);
    server_.reset();
    must(engine_->close());
    engine_.reset();
  }

  TempDir directory_;
  std::optional<Engine> engine_;
  std::optional<server::Server> server_;
  std::optional<Client> client_;
};

}  // namespace

std::unique_ptr<BrokerUnderTest> make_served() { return std::make_unique<Served>(); }

}  // namespace holdfast::testing
