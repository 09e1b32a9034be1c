// This header declares options of a Server.
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

// Limits that may be changed while the server runs.
struct ServerLimits {
  // `max_connections` are open at most. Further ones are closed at once; but the server's own user and
  // root may have limits::kOwnerConnections more over a Unix socket. Clients that have not shown their token,
  // or not finished their TLS handshake, are bounded more tightly: by `max_unauthenticated` and a half of all
  // connections, and for one host by `max_unauthenticated_per_host` and a half of those. A host is an IPv4
  // address, a network of 64 bits of IPv6, or a user of a Unix socket. At these bounds the server hangs up on
  // one such client in favour of the newcomer (server/bounds/seats.h).
  std::size_t max_connections = 4096;
  std::size_t max_unauthenticated = 1024;
  std::size_t max_unauthenticated_per_host = 256;

  // Each connection has these limits. Calls beyond them are answered kOverloaded.
  std::size_t max_calls = 1024;            // calls in flight, including waiting receives
  std::size_t max_send_bytes = 128 << 20;  // bytes of messages whose sends are in flight
  // Bytes of replies that the client has not read or not finished.
  std::size_t max_unread_bytes = 128 << 20;

  // `max_unfinished_calls` is the most calls of a connection that are in flight, or answered and not
  // finished: each is kept until the client says that it has finished with it. The server hangs up on a
  // connection with more. Before the client has shown its token the limit is limits::kUnauthenticatedCalls.
  std::size_t max_unfinished_calls = 16384;

  // The most bytes of all connections together, of each of these by itself:
  // - sends in flight. Calls beyond it are answered kOverloaded before anything is done for them.
  // - messages that are not whole yet. Beyond it, if they come from several connections, the server hangs up
  //   on the one with the largest, and first on those that have not shown their token.
  // - bodies of HTTP requests that are arriving (server/http/connection/body_room.h). A request beyond it is
  //   answered kOverloaded.
  // - answers of HTTP that clients have not read (server/bounds/unread_answers.h). At the bound, connections
  //   that have taken nothing of their answer for `give_way_timeout` are closed. If that leaves no room
  //   either, calls that show what is stored are answered kOverloaded.
  std::size_t max_total_send_bytes = 1 << 30;
  std::chrono::milliseconds give_way_timeout = std::chrono::seconds(2);

  // The server hangs up on a connection that has sent no whole message for `greeting_timeout` after it was
  // made. It hangs up on one that has read none of its pending data for `stall_timeout`, or that has sent
  // less than 4 KiB of an unfinished message in that time. Unless `idle_timeout` is 0, it hangs up on one
  // that has had no call in flight for this long.
  std::chrono::milliseconds greeting_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(60);
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(0);
};

struct ServerOptions {
  // `listen` has the addresses for RPC: "host:port" (with port 0 the system picks one), "tls://host:port" or
  // "unix:/path". If a host has several addresses, the first one counts.
  std::vector<std::string> listen = {"127.0.0.1:7700"};

  // `tls` has the certificate for clients of tls:// addresses, and who may sign theirs (schema/tls/tls.h).
  std::shared_ptr<transport::TlsContext> tls = {};

  // Allows addresses that other machines reach even without TLS, or without tokens and client certificates.
  bool allow_insecure = false;

  ServerLimits limits = {};

  // `tokens` say who may do what (server/access/tokens.h). If null, every client may do everything. Otherwise
  // a client may do what the token that it shows was granted; the server's own user and root need no token
  // over a Unix socket.
  std::shared_ptr<const Tokens> tokens = {};

  // Calls that take at least this long are in the log, except those that are meant to take long (receive,
  // drainStatus, backup, verify, compact). With 0 no call is.
  Duration slow_call = std::chrono::seconds(1);

  // `users` are the users, by names or numbers, whose processes may connect to Unix sockets beside this
  // process's user and root. If there are none, the sockets' files are accessible to their owner alone.
  std::vector<std::string> users = {};

  // `http_listen` has the addresses for HTTP (server/http/routes.h): "host:port" or "tls://host:port". If
  // empty, the server does not speak HTTP.
  std::vector<std::string> http_listen = {};
  HttpNames http_names = {};
  // Clients of Amazon SQS are answered at the addresses for HTTP (server/sqs/protocol.h).
  SqsOptions sqs = {};

  // This many queues have numbers of their own in the metrics: the first ones by name.
  std::size_t metrics_queues = 200;

  // `backups` is the directory in which clients may have backups made. If empty, such calls are answered
  // kPermissionDenied.
  std::filesystem::path backups = {};

  // `io_threads` threads serve connections, at least 1. Each connection stays with one of them.
  std::size_t io_threads = 1;

  // The threads for calls that change queues or list, and as many for redrives, backups and other long calls.
  std::size_t blocking_threads = 4;

  std::shared_ptr<spdlog::logger> log = {};  // if null, spdlog's default logger
};

}  // namespace holdfast::server
