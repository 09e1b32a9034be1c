// Site is the server of the campaign of cuts (cuts_test.cc). It is a process with tight limits behind a proxy
// that cuts. The rights of its tokens change, and it is killed and started again.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "server/access/tokens.h"
#include "tests/client/cuts/cutting_proxy.h"
#include "tests/client/cuts/peace.h"
#include "tests/server/daemon_process.h"
#include "tests/support/certificates.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {

enum class Over { kTcp, kTls };
enum class Tight { kCalls, kBytes };

// Returns a free port. The kernel gives this port to no connection for its own end: otherwise a client that
// connects to a port where nobody listens could be connected to itself.
inline std::string free_port() {
  boost::asio::io_context io;
  for (auto port = static_cast<std::uint16_t>(20'000 + ::getpid() % 10'000);; ++port) {
    boost::asio::ip::tcp::acceptor acceptor(io, boost::asio::ip::tcp::v4());
    boost::system::error_code failure;
    acceptor.bind({boost::asio::ip::address_v4::loopback(), port}, failure);
    if (!failure) return std::to_string(port);
  }
}

// Site is the server, the door of its owner, and the way through the proxy.
class Site {
 public:
  Site(Over over, Tight tight, std::uint64_t seed) : over_(over), tight_(tight), random_(seed) {
    grant("all:*");
    start();
    CuttingProxy::Bytes bytes =
        over == Over::kTls ? CuttingProxy::Bytes{4000, 4000} : CuttingProxy::Bytes{900, 3000};
    if (tight == Tight::kBytes) bytes.most += 8 * body_bytes();
    proxy_.emplace("127.0.0.1:" + port_, bytes, seed, over == Over::kTcp ? &repetitions_ : nullptr);
  }
  ~Site() { server_ = 0; }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  // Returns the size of a message's body. Where bytes are few, there is room for one message but not for two.
  // A body is larger than what is around it in a call: otherwise the server would not even read a second call
  // before the first is over (RpcConnection::set_flow_limit).
  std::size_t body_bytes() const { return tight_ == Tight::kBytes ? 600 : 200; }

  // Connects with all rights over the Unix socket, which the proxy does not cut.
  Client owner() const {
    return must(Client::connect(door_, {.call_timeout = std::chrono::minutes(1),
                                        .reconnect_delay = std::chrono::milliseconds(1),
                                        .reconnect_delay_max = std::chrono::milliseconds(10)}));
  }

  Client client() const {
    ClientOptions options{.call_timeout = std::chrono::seconds(1),
                          .reconnect_delay = std::chrono::microseconds(100),
                          .reconnect_delay_max = std::chrono::milliseconds(5),
                          .token = token_};
    if (over_ == Over::kTls) options.tls.server_ca = authority_.file();
    const std::string scheme = over_ == Over::kTls ? "tls://" : "";
    for (;;) {
      auto connected = Client::connect(scheme + proxy_->address(), options);
      if (connected) return *std::move(connected);
    }
  }

  // Returns once there have been so many cuts. Changes something now and then meanwhile.
  void disturb(std::uint64_t cuts) {
    for (std::uint64_t at = proxy_->cuts() + 10; at < cuts; at += random_.between(5, 15)) {
      proxy_->wait_for_cuts(at);
      if (random_.one_in(8)) {
        kill();
      } else {
        change_rights();
      }
    }
    grant("all:*");
    proxy_->wait_for_cuts(cuts);
  }

  // Returns which refusals repetitions have met, and how often. Over TLS nothing can be heard.
  std::map<std::string, std::uint64_t> refused_repetitions() const { return repetitions_.refused(); }

  // Returns whether repetitions have met each refusal that they should meet.
  bool met_all() const {
    const auto met = refused_repetitions();
    return std::ranges::all_of(to_meet(), [&](const std::string& what) { return met.contains(what); });
  }
  // Returns the refusals that repetitions should meet. They are known by the server's words
  // (server/clients/peer.cc).
  std::vector<std::string> to_meet() const {
    if (over_ == Over::kTls) return {};
    if (tight_ == Tight::kCalls) return {"the calls in flight of this connection"};
    return {"the bytes being sent of this connection", "the bytes being sent by all clients"};
  }

  // Returns how many backups there are under this name.
  std::uint64_t backups(const std::string& name) const {
    const auto found = Engine::list_backups(backups_ / name);
    return found ? found->size() : 0;
  }
  // Ignores errors, since a backup whose outcome is unknown may still be going on.
  void forget_backups(const std::string& name) const {
    std::error_code ignored;
    std::filesystem::remove_all(backups_ / name, ignored);
  }

  // Kills the server of a test that ends without its destructors. Otherwise the server would outlive the
  // test, and hold its output open. May be called in a handler of a signal.
  static void kill_server() {
    if (const pid_t pid = server_; pid != 0) ::kill(pid, SIGKILL);
  }

  std::uint64_t cuts() const { return proxy_->cuts(); }
  std::uint64_t kills() const { return kills_; }
  Peace& peace() { return peace_; }

 private:
  void start() {
    std::vector<std::string> arguments = {
        "--data",      (directory_ / "data").string(),
        "--backups",   backups_.string(),
        "--tokens",    tokens_.string(),
        "--listen",    (over_ == Over::kTls ? "tls://127.0.0.1:" : "127.0.0.1:") + port_,
        "--listen",    door_,
        "--log-level", "error"};
    if (over_ == Over::kTls) {
      for (const auto& argument : {std::string("--tls-certificate"), shown_.certificate.string(),
                                   std::string("--tls-key"), shown_.key.string()})
        arguments.push_back(argument);
    }
    if (tight_ == Tight::kCalls) {
      arguments.insert(arguments.end(), {"--max-calls", "1"});
    } else {
      arguments.insert(arguments.end(),
                       {"--max-calls", "16", "--max-send-bytes", "1000", "--max-total-send-bytes", "1000"});
    }
    daemon_ = std::make_unique<server::Daemon>(std::move(arguments));
    server_ = daemon_->pid();
    while (!Client::connect(door_)) std::this_thread::yield();
  }

  void kill() {
    peace_.interrupt([this] {
      server_ = 0;
      daemon_->signal(SIGKILL);
      (void)daemon_->exit_status();
      start();
      ++kills_;
    });
  }

  void change_rights() {
    static const std::vector<std::string> rights = {
        "all:*", "all:*", "all:*", "produce,consume:*", "operate,administer:*", ""};
    grant(random_.pick(rights));
  }

  // Grants these rights to the campaign's token. If they are empty, the server does not know the token.
  void grant(const std::string& rights) {
    std::vector<server::TokenEntry> entries = {
        {.hash = server::hash_of("another"),
         .rights = {.name = "other", .grants = {must(server::parse_grant("all:*"))}}}};
    if (!rights.empty()) {
      entries.push_back({.hash = server::hash_of(token_),
                         .rights = {.name = "app", .grants = {must(server::parse_grant(rights))}}});
    }
    must(server::write_tokens(tokens_, entries));
    if (daemon_) daemon_->signal(SIGHUP);
  }

  static inline std::atomic<pid_t> server_ = 0;

  const Over over_;
  const Tight tight_;
  Random random_;
  TempDir directory_;
  TestAuthority authority_{directory_ / "ca"};
  const CertificateFiles shown_ = authority_.issue("server", "IP:127.0.0.1");
  const std::string token_ = "a-token-of-the-campaigns";
  const std::filesystem::path backups_ = directory_ / "backups";
  const std::filesystem::path tokens_ = directory_ / "tokens";
  const std::string door_ = "unix:" + (directory_ / "socket").string();
  const std::string port_ = free_port();
  std::unique_ptr<server::Daemon> daemon_;
  Repetitions repetitions_;
  std::optional<CuttingProxy> proxy_;
  Peace peace_;
  std::uint64_t kills_ = 0;
};

}  // namespace holdfast::testing
