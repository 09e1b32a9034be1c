// What the connections of a server share.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "server/access/guard.h"
#include "server/crossing.h"
#include "server/meter.h"
#include "server/push/unbegun.h"
#include "server/server.h"
#include "server/waits.h"
#include "transport/event_port.h"

namespace holdfast::server {

// The loop's thread only.
struct State {
  State(Engine& served, const ServerOptions& server_options, Meter& server_meter,
        transport::EventPort& event_port)
      : engine(served),
        options(server_options),
        log(*server_options.log),
        meter(server_meter),
        port(event_port),
        crossing(event_port.mailbox()),
        waits(served),
        queue_names(served),
        blocking(server_options.blocking_threads) {}

  Engine& engine;
  const ServerOptions& options;
  spdlog::logger& log;
  Meter& meter;
  transport::EventPort& port;
  Crossing crossing;
  Waits waits;
  Unbegun unbegun;
  QueueNames queue_names;
  Gauge calls;                 // of all connections, until their replies are written
  std::size_t send_bytes = 0;  // of the sends among them
  bool stopping = false;
  boost::asio::thread_pool blocking;
};

}  // namespace holdfast::server
