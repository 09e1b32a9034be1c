// Serves an engine over Cap'n Proto RPC (schema/holdfast.capnp).
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

// A movable handle. The destructor stops, without waiting for calls that take long.
class Server {
 public:
  // The engine must outlive the server. kInvalidArgument for an address, one that wants TLS where there is
  // none, or a user, kPermissionDenied for one that is refused, kUnavailable for one that is taken.
  static Result<Server> start(Engine& engine, ServerOptions options = {});

  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  // Where it listens, in the order of ServerOptions::listen, with the ports that the system picked.
  const std::vector<std::string>& addresses() const;
  // Where it listens for HTTP, in the order of ServerOptions::http_listen.
  const std::vector<std::string>& http_addresses() const;

  // The number of clients that are connected.
  std::size_t connections() const;

  // What it counts, and how that is shown; they live as long as the server.
  const Meter& meter() const;
  const Monitor& monitor() const;

  // From now on, for the clients that are connected too. Not to be turned on or off while it runs.
  void set_tokens(const std::shared_ptr<const Tokens>& tokens);

  // For the clients that connect from now on. Not to be turned on or off while it runs.
  void set_tls(std::shared_ptr<transport::TlsContext> tls);

  // From now on. What is beyond them already stays.
  void set_limits(const ServerLimits& limits);

  // From now on; see ServerOptions::slow_call.
  void set_slow_call(Duration limit);

  // Returns when the loops that serve the clients have answered.
  void ping() const;

  // Hands nothing out and takes no sends any more, and lets clients settle what they have; see the protocol's
  // call. No client can take it back. Returns at once; stop() is for when it is over.
  void drain(const DrainOptions& options);
  DrainStatus drain_status() const;
  // Whether the clients that ask for it know that it is over.
  bool drain_is_known() const;

  // Takes no more connections and no more calls (kClosed), ends waiting receives with an empty list, lets
  // the calls in flight finish, sends their replies and hangs up. At the deadline it stops waiting for
  // clients, and calls that are still in the engine are ended by closing it. Safe to call twice. Clients that
  // were told of a drain after which the server ends stay connected, until end().
  void stop(std::chrono::milliseconds deadline);

  // After stop(), and once all that another server needs is free: its last word to the clients that wait for
  // it, for at most so long. `closed`: how closing the engine went.
  void end(const Result<void>& closed, std::chrono::milliseconds deadline);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
