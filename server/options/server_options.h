// What can be set about a Server.
#pragma once

#include <spdlog/logger.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/time.h"
#include "server/options/http_names.h"
#include "server/options/sqs_options.h"

namespace holdfast::transport {
class TlsContext;
}

namespace holdfast::server {

class Tokens;

// May be changed while the server runs.
struct ServerLimits {
  // Further connections are closed at once, but for those of the server's own user and root over a Unix
  // socket: of these there may be limits::kOwnerConnections more. Where clients have tokens to show, or a TLS
  // handshake to finish, there are no more that have not than `max_unauthenticated`, nor than a half of all;
  // and of one address (of IPv6 one network of 64 bits, of a Unix socket one user) no more than
  // `max_unauthenticated_per_host`, nor than a half of those. Past that one of them is hung up on in favour
  // of the newcomer (server/bounds/seats.h).
  std::size_t max_connections = 4096;
  std::size_t max_unauthenticated = 1024;
  std::size_t max_unauthenticated_per_host = 256;

  // Of each connection; calls past them are answered kOverloaded.
  std::size_t max_calls = 1024;              // in flight, waiting receives included
  std::size_t max_send_bytes = 128 << 20;    // of messages whose sends are in flight
  std::size_t max_unread_bytes = 128 << 20;  // of replies that the client has not read, or not finished

  // Calls of a connection that are in flight, or answered and not finished, since each is kept until the
  // client says that it is through with it: one with more is hung up on. Before it has shown its token:
  // limits::kUnauthenticatedCalls.
  std::size_t max_unfinished_calls = 16384;

  // Of all connections together; calls past it are answered kOverloaded before anything is done for them. The
  // same of messages that are not whole yet: past it, if they are of several connections, the one with the
  // largest is hung up on, those first that have not shown their token.
  std::size_t max_total_send_bytes = 1 << 30;

  // A connection is hung up on when it has sent no whole message for so long after it was made; when, for so
  // long, it has taken nothing of what is ready for it or sent less than 4 KiB of a message that it has
  // begun, and not its end; and, unless that is 0, when there was no call for so long and none is in flight.
  std::chrono::milliseconds greeting_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(60);
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(0);
};

struct ServerOptions {
  // "host:port" (port 0: the system picks one), "tls://host:port" or "unix:/path". A host with several
  // addresses gets the first.
  std::vector<std::string> listen = {"127.0.0.1:7700"};

  // What clients of tls:// addresses are shown, and who may sign theirs (schema/tls/tls.h).
  std::shared_ptr<transport::TlsContext> tls = {};

  // Lets addresses be reached from other machines even without TLS, or without tokens and client
  // certificates.
  bool allow_insecure = false;

  ServerLimits limits = {};

  // Who may do what (server/access/tokens.h). Null: whoever connects may do everything. Else a client may do
  // what the token that it gives was granted; over a Unix socket the server's own user and root need none.
  std::shared_ptr<const Tokens> tokens = {};

  // Calls that took at least so long are in the log, except those that are to take long (receive, backup,
  // verify, compact); 0: none is.
  Duration slow_call = std::chrono::seconds(1);

  // Whose processes may connect to Unix sockets beside those of this one's user and root: names or numbers.
  // Without any, the sockets' files are its owner's alone.
  std::vector<std::string> users = {};

  // Where clients speak HTTP (server/http/routes.h): "host:port" or "tls://host:port". Without any, nowhere.
  std::vector<std::string> http_listen = {};
  HttpNames http_names = {};
  // Clients of Amazon SQS are answered there too (server/sqs/protocol.h).
  SqsOptions sqs = {};

  // How many queues have numbers of their own in the metrics: the first by name.
  std::size_t metrics_queues = 200;

  // Where clients may have backups made. Empty: nowhere, their calls are answered kPermissionDenied.
  std::filesystem::path backups = {};

  // Threads that serve connections; each connection stays with one of them. At least 1.
  std::size_t io_threads = 1;

  // Threads for the calls that block: those that change queues, list, and redrive.
  std::size_t blocking_threads = 4;

  std::shared_ptr<spdlog::logger> log = {};  // default: spdlog's default logger
};

}  // namespace holdfast::server
