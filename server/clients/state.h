// The connections of a server share one Common, and those of one thread share a State.
#pragma once

#include <atomic>
#include <map>
#include <set>

#include "engine/sync/mutex.h"
#include "schema/transport/event_port.h"
#include "server/access/users.h"
#include "server/bounds/meter.h"
#include "server/bounds/seats.h"
#include "server/bounds/unfinished_messages.h"
#include "server/bounds/unread_answers.h"
#include "server/clients/blocking_pool.h"
#include "server/delivery/cancellable_receives.h"
#include "server/delivery/loop_promises.h"
#include "server/delivery/lost_connections.h"
#include "server/delivery/prefetched_deliveries.h"
#include "server/delivery/server_drain.h"
#include "server/logging/line_limit.h"
#include "server/options/server_options.h"

namespace holdfast::server {

class Pusher;

// All threads of the server share one Common.
struct Common {
  Common(Engine& engine, const ServerOptions& options)
      : drain(engine, meter), blocking(options.blocking_threads), lengthy(options.blocking_threads) {
    for (const std::string& name : options.users) {
      if (const auto user = find_user(name)) users.insert(*user);  // Server::start has found them all
    }
  }

  std::set<uid_t> users;  // the users of ServerOptions::users

  Meter meter;
  Seats seats{meter};
  Drain drain;
  std::atomic<std::uint64_t> last_connection = 0;
  // The mutex is held while a queue's options change or a queue is deleted, so that a conditional change is
  // one step.
  sync::Mutex queue_changes;
  std::atomic<std::size_t> send_bytes = 0;  // bytes of the sends in flight
  // Bytes of HTTP requests that are arriving, as BodyRoom counts them.
  std::atomic<std::size_t> http_body_bytes = 0;
  std::atomic<std::size_t> stranger_body_bytes = 0;  // of http_body_bytes, those of strangers
  PrefetchedDeliveries prefetched;
  BlockingPool blocking;
  BlockingPool lengthy;  // for calls that may take minutes, so that others need not wait for them
  LostConnections lost;
  UnreadAnswers unread_answers;            // of HTTP
  UnfinishedMessages unfinished_messages;  // of RPC
};

// The connections of one thread share a State. No other thread uses it.
struct State {
  State(Engine& served, const ServerOptions& server_options, Common& common, transport::EventPort& event_port)
      : engine(served),
        options(server_options),
        log(*options.log),
        port(event_port),
        promises(event_port.mailbox()),
        cancellable_receives(served),
        all(common),
        meter(common.meter),
        prefetched(common.prefetched),
        blocking(common.blocking) {}

  Engine& engine;
  ServerOptions options;
  spdlog::logger& log;
  LineLimit log_limit;
  transport::EventPort& port;
  LoopPromises promises;
  CancellableReceives cancellable_receives;
  Gauge calls;      // calls of all connections, until their replies are written
  Gauge farewells;  // peers that wait for the server's end
  std::set<Pusher*> pushers;
  bool draining = false;  // Drain sets it
  bool stopping = false;

  Common& all;
  Meter& meter;
  PrefetchedDeliveries& prefetched;
  BlockingPool& blocking;

  // The numbers of the open connections, by the names that their clients gave them.
  std::map<convert::ConnectionName, std::uint64_t> named;
};

}  // namespace holdfast::server
