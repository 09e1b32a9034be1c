// A Server serves an engine over Cap'n Proto RPC (schema/holdfast.capnp), HTTP and the protocol of Amazon
// SQS.
//
//   auto server = holdfast::server::Server::start(*engine, {.listen = {"127.0.0.1:0"}});
//   if (!server) return report(server.error());
//   connect_to(server->addresses().front());
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "holdfast/operations.h"
#include "server/options/server_options.h"

namespace holdfast::transport {
class TlsContext;
}

namespace holdfast::server {

class Meter;
class Monitor;
class Tokens;

// Server is a movable handle. The destructor stops the server without waiting for calls that take long.
class Server {
 public:
  // Starts a server. The engine must outlive it. kInvalidArgument for a bad address, one that wants TLS
  // without certificates, or an unknown user; kPermissionDenied for an address that is refused; kUnavailable
  // for one that is taken, or if no thread or file descriptor can be had.
  static Result<Server> start(Engine& engine, ServerOptions options = {});

  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  // Returns where it listens, in the order of ServerOptions::listen, with the ports that the system picked.
  const std::vector<std::string>& addresses() const;
  // Returns where it listens for HTTP, in the order of ServerOptions::http_listen.
  const std::vector<std::string>& http_addresses() const;

  // Returns the number of clients that are connected.
  std::size_t connections() const;

  // Return what the server counts, and what shows it. Both live as long as the server.
  const Meter& meter() const;
  const Monitor& monitor() const;

  // Changes the tokens for new clients and for those that are connected. Access control must not be turned on
  // or off while the server runs.
  void set_tokens(const std::shared_ptr<const Tokens>& tokens);

  // Changes the certificates for clients that connect from now on. TLS must not be turned on or off while the
  // server runs.
  void set_tls(std::shared_ptr<transport::TlsContext> tls);

  // Changes the limits. What exceeds them already stays.
  void set_limits(const ServerLimits& limits);

  // Changes the limit of ServerOptions::slow_call.
  void set_slow_call(Duration limit);

  // Blocks until all loops that serve clients have answered.
  void ping() const;

  // Begins to drain the server, and returns at once. The server hands nothing out and takes no sends any
  // more, and lets clients settle what they have, as the protocol's drain says. No client can take this back.
  // Call stop() when the drain is over.
  void drain(const DrainOptions& options);
  DrainStatus drain_status() const;
  // Returns whether the clients that follow the drain know that it is over.
  bool drain_is_known() const;

  // Stops the server. It takes no more connections and no more calls (kClosed), ends waiting receives with an
  // empty list, lets the calls in flight finish, sends their replies and hangs up. At the deadline it stops
  // waiting for clients, and ends calls that are still in the engine by closing the engine. A second call
  // does nothing. Clients that were told that the server ends after a drain stay connected until end().
  void stop(std::chrono::milliseconds deadline);

  // Says the server's last word to the clients that wait for it, for at most `deadline`. Called after stop(),
  // once everything that another server needs is free. `closed` says how closing the engine went.
  void end(const Result<void>& closed, std::chrono::milliseconds deadline);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
