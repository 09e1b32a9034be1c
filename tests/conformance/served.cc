// The broker under test that is a client of a server in this process, over TCP, TLS or a Unix socket.
#include <spdlog/sinks/null_sink.h>

#include <optional>

#include "holdfast/client.h"
#include "schema/tls/tls.h"
#include "server/net/server.h"
#include "tests/conformance/by_callback.h"
#include "tests/conformance/conformance.h"
#include "tests/support/certificates.h"
#include "tests/support/engine_time.h"
#include "tests/support/temp_dir.h"
#include "tests/support/write_buffer.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// The keys are made once, since they cost more time than a test.
struct SharedTls {
  TempDir directory;
  TestAuthority authority{directory / "certificates"};
  CertificateFiles files = authority.issue("server", "IP:127.0.0.1");
  std::shared_ptr<transport::TlsContext> server = must(transport::TlsContext::for_server(
      {.certificate = files.certificate, .key = files.key, .ca = authority.file()}));
  ClientTls client{.server_ca = authority.file(), .certificate = files.certificate, .key = files.key};

  static const SharedTls& get() {
    static const SharedTls shared;
    return shared;
  }
};

// A client of a server in this process.
class Served final : public BrokerUnderTest {
 public:
  // Over the Unix socket, every verb goes through its operation of asio.h.
  enum class Over { kTcp, kTls, kUnix };

  explicit Served(Over over) : over_(over) { open(); }
  ~Served() override { close(); }

  Broker& broker() override {
    if (by_callback_) return *by_callback_;
    return *client_;
  }
  void run_due() override { run_due_until_quiet(*engine_, clock()); }
  void reopen() override {
    close();
    open();
  }

 private:
  std::string address() const {
    if (over_ == Over::kUnix) return "unix:" + (directory_ / "socket").string();
    return over_ == Over::kTls ? "tls://127.0.0.1:0" : "127.0.0.1:0";
  }

  void open() {
    const bool tls = over_ == Over::kTls;
    engine_.emplace(must(
        Engine::open(directory_ / "data",
                     {.clock = &clock(), .background = false, .write_buffer_bytes = kWriteBufferBytes})));
    auto log = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(must(server::Server::start(
        *engine_,
        {.listen = {address()}, .tls = tls ? SharedTls::get().server : nullptr, .log = std::move(log)})));
    client_.emplace(must(
        Client::connect(server_->addresses().front(), {.tls = tls ? SharedTls::get().client : ClientTls{}})));
    if (over_ == Over::kUnix) by_callback_.emplace(*client_);
  }

  void close() {
    by_callback_.reset();
    client_.reset();
    server_->stop(10s);
    server_.reset();
    must(engine_->close());
    engine_.reset();
  }

  const Over over_;
  TempDir directory_;
  std::optional<Engine> engine_;
  std::optional<server::Server> server_;
  std::optional<Client> client_;
  std::optional<ByCallback> by_callback_;
};

}  // namespace

std::unique_ptr<BrokerUnderTest> make_over_tcp() { return std::make_unique<Served>(Served::Over::kTcp); }
std::unique_ptr<BrokerUnderTest> make_over_tls() { return std::make_unique<Served>(Served::Over::kTls); }
std::unique_ptr<BrokerUnderTest> make_over_unix() { return std::make_unique<Served>(Served::Over::kUnix); }

}  // namespace holdfast::testing
