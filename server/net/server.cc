#include "server/net/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <optional>
#include <variant>

#include "schema/transport/loop_thread.h"
#include "server/calls/call_log.h"
#include "server/http/door.h"
#include "server/monitor/monitor.h"
#include "server/net/connections.h"
#include "server/net/socket_in_transit.h"
#include "server/rpc/pusher.h"
#include "server/sqs/protocol.h"

namespace holdfast::server {
namespace {

using transport::Address;

Result<std::vector<Address>> parse_all(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<Address> addresses;
  for (const auto& text : texts) {
    auto address = transport::parse_address(text);
    if (!address) return fail(address.error().code, std::string(option) + ": " + address.error().message);
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

// Running has the objects that live on a loop's thread.
struct Running {
  Running(Engine& engine, const ServerOptions& options, Common& common, const Monitor& monitor,
          HttpCommon& http, sqs::Shared& sqs, transport::EventPort& port)
      : state(engine, options, common, port),
        door(std::in_place, state, monitor, http, sqs::protocol_factory(sqs)),
        connections(std::in_place, state, *door) {}

  State state;
  std::optional<HttpDoor> door;
  std::optional<Connections> connections;
  std::vector<std::shared_ptr<Listener>> listeners;
};

// Loop is one thread, and the connections that it serves.
class Loop {
 public:
  Loop(Engine& engine, const ServerOptions& options, Common& common, const Monitor& monitor, HttpCommon& http,
       sqs::Shared& sqs) {
    run([&](auto&) {
      thread_.role.assert_held();
      running_.emplace(engine, options, common, monitor, http, sqs, thread_.port());
    });
    common.drain.add_loop(thread_.mailbox(), [this](bool draining) { turn(draining); });
    common.lost.add_loop(thread_.mailbox(), [this](const auto& names, const std::shared_ptr<void>& gone) {
      if (running_ && running_->connections) running_->connections->hang_up(names, gone);
    });
  }
  ~Loop() {
    run([](auto& running) {
      running->connections.reset();
      running->door.reset();
      return kj::evalLast([] {});  // see ~Connections
    });
    run([this](auto&) { running_.reset(); });
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs `work(running)` on the thread, and waits for it or, if it returns a promise, for the promise.
  template <class Work>
  void run(Work work) {
    start(std::move(work)).get();
  }
  // Does the same without waiting. The promise must not use `work`, which may be gone by then.
  template <class Work>
  std::future<void> start(Work work) {
    return thread_.start([this, work = std::move(work)]() mutable -> kj::Promise<void> {
      if constexpr (std::is_void_v<decltype(work(running_))>) {
        work(running_);
        return kj::READY_NOW;
      } else {
        return work(running_);
      }
    });
  }

  // Adds a client. Thread-safe.
  void add(NewConnection connection) {
    thread_.mailbox()->post([this, seat = std::move(connection.seat), origin = std::move(connection.origin),
                             socket = SocketInTransit(std::move(connection.socket))]() mutable {
      thread_.role.assert_held();
      running_->connections->add({std::move(seat), std::move(origin), socket.arrive(thread_.port().io())});
    });
  }

 private:
  void turn(bool draining) {
    if (!running_) return;
    State& state = running_->state;
    state.draining = draining;
    if (!draining) return;
    state.cancellable_receives.end_all();
    for (Pusher* pusher : state.pushers) pusher->drain();
  }

  std::optional<Running> running_;  // only for the thread
  transport::LoopThread thread_;
};

}  // namespace

class Server::Impl {
 public:
  Impl(Engine& engine, ServerOptions options)
      : engine_(engine),
        options_(with_log(std::move(options))),
        common_(engine_, options_),
        monitor_(engine_, common_.meter, options_.metrics_queues),
        http_(engine_),
        sqs_(options_.sqs) {
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.io_threads, 1); ++i)
      loops_.push_back(std::make_unique<Loop>(engine_, options_, common_, monitor_, http_, sqs_));
  }
  ~Impl() {
    stop(std::chrono::milliseconds(0));
    loops_.clear();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> listen(const std::vector<Address>& addresses, Protocol protocol) {
    Result<void> result;
    loops_.front()->run([&](auto& running) {
      for (const auto& address : addresses) {
        if (result) result = listen_on(*running, address, protocol);
      }
    });
    return result;
  }

  const std::vector<std::string>& addresses() const { return addresses_; }
  const std::vector<std::string>& http_addresses() const { return http_addresses_; }
  const Monitor& monitor() const { return monitor_; }
  const Meter& meter() const { return common_.meter; }

  // Calls `change(options)` on each thread.
  template <class Change>
  void set(Change change) {
    on_all([&](auto& running) { change(running->state.options); });
  }

  void set_tokens(const std::shared_ptr<const Tokens>& tokens) {
    on_all([&](auto& running) {
      State& state = running->state;
      state.options.tokens = tokens;
      state.cancellable_receives.end_revoked(tokens.get());
      for (Pusher* pusher : state.pushers) pusher->check_rights();
    });
  }

  Drain& drain() { return common_.drain; }

  void ping() {
    on_all([](auto&) {});
  }

  void stop(std::chrono::milliseconds deadline) {
    if (std::exchange(stopped_, true)) return;
    const auto until = std::chrono::steady_clock::now() + deadline;
    // The listeners close before the other loops stop taking the clients that this loop hands over.
    if (!loops_.empty()) loops_.front()->run([](auto& running) { close_listeners(*running); });
    common_.drain.stop();
    common_.meter.stopping = true;
    on_all([](auto& running) {
      running->state.stopping = true;
      running->state.cancellable_receives.end_all();
    });
    std::atomic<bool> finished = true;
    on_all_at_once([&](auto& running) {
      return wind_down(*running, until).then([&finished](bool all) {
        if (!all) finished = false;
      });
    });
    if (!finished) {
      options_.log->warn("calls are still in flight at the deadline: closing the engine");
      if (auto closed = engine_.close(); !closed) options_.log->error("{}", to_string(closed.error()));
    }
    on_all([](auto& running) { return running->state.promises.under_way().zero(); });
    on_all([](auto& running) { return running->state.calls.zero(); });
    bool is_awaited = false;
    on_all([&](auto& running) { is_awaited = is_awaited || running->state.farewells.count() > 0; });
    if (!is_awaited) loops_.clear();
  }

  void end(const Result<void>& closed, std::chrono::milliseconds deadline) {
    const auto until = std::chrono::steady_clock::now() + deadline;
    stop(std::chrono::milliseconds(0));
    common_.drain.end(closed);
    on_all_at_once([&](auto& running) { return say_farewell(*running, until); });
    loops_.clear();
  }

 private:
  static ServerOptions with_log(ServerOptions options) {
    if (!options.log) options.log = spdlog::default_logger();
    return options;
  }

  // Runs `work` on all loops at a time, and waits until it is done on all. For work that may wait for
  // clients: the clients of one loop must not take the time of the others.
  template <class Work>
  void on_all_at_once(Work work) {
    std::vector<std::future<void>> started;
    for (const auto& loop : loops_) started.push_back(loop->start(work));
    for (const auto& one : started) one.wait();
    for (auto& one : started) one.get();
  }

  // Runs `work` on the loops one after the other.
  template <class Work>
  void on_all(Work work) {
    for (const auto& loop : loops_) loop->run(work);
  }

  Result<void> listen_on(Running& running, const Address& address, Protocol protocol) {
    auto accept = [this, &running](AcceptedSocket socket) { let_in(running, std::move(socket)); };
    auto listener = listen_at(running.state, address, protocol, accept);
    if (!listener) return tl::unexpected(listener.error());
    auto& addresses = protocol == Protocol::kHttp ? http_addresses_ : addresses_;
    addresses.push_back(to_string((*listener)->address()));
    running.listeners.push_back(std::move(*listener));
    return {};
  }

  // Gives a client its seat, on the first loop's thread and before anything else is done for it: a client
  // that waits for its own loop already has its file descriptor.
  void let_in(Running& running, AcceptedSocket socket) {
    State& state = running.state;
    Origin origin = origin_of(socket);
    auto seat = common_.seats.take(origin, needs_no_token(state, origin, socket), state.options.limits);
    if (!seat) {
      ++state.meter.refused;
      LogLine line("hanging up");
      line.add("peer", origin.address).add("reason", seat.error().message);
      return log_limited(state, spdlog::level::warn, std::move(line));
    }
    Loop& next = *loops_[next_loop_++ % loops_.size()];
    NewConnection connection{*std::move(seat), std::move(origin), std::move(socket)};
    if (&next != loops_.front().get()) return next.add(std::move(connection));
    running.connections->add(std::move(connection));
  }

  // Returns whether the client has nothing to show. A client with a handshake before it has everything to
  // show yet.
  static bool needs_no_token(const State& state, const Origin& origin, const AcceptedSocket& socket) {
    if (is_owner(origin)) return true;
    const bool is_stranger = origin.user && !state.all.users.contains(*origin.user);
    const bool has_handshake =
        std::holds_alternative<TlsClient>(socket) || std::holds_alternative<HttpsClient>(socket);
    return !state.options.tokens && !has_handshake && !is_stranger;
  }

  static void close_listeners(Running& running) {
    for (auto& listener : running.listeners) listener->close();
  }

  static kj::Promise<void> close_all(Running& running, HangUpOn whom) {
    return kj::joinPromises(kj::arr(running.connections->close_all(whom), running.door->close_all(whom)));
  }

  // Returns whether all calls have finished.
  static kj::Promise<bool> wind_down(Running& running, std::chrono::steady_clock::time_point until) {
    auto hung_up =
        running.state.calls.zero().then([&running] { return close_all(running, HangUpOn::kServed); });
    auto too_late = running.state.port.after(until - std::chrono::steady_clock::now());
    return hung_up.exclusiveJoin(kj::mv(too_late)).then([&running] {
      return running.state.calls.count() == 0;
    });
  }

  static kj::Promise<void> say_farewell(Running& running, std::chrono::steady_clock::time_point until) {
    auto hung_up =
        running.state.farewells.zero().then([&running] { return close_all(running, HangUpOn::kAll); });
    return hung_up.exclusiveJoin(running.state.port.after(until - std::chrono::steady_clock::now()));
  }

  Engine& engine_;
  const ServerOptions options_;  // the options of the start
  Common common_;
  const Monitor monitor_;
  HttpCommon http_;
  sqs::Shared sqs_;
  std::vector<std::string> addresses_;
  std::vector<std::string> http_addresses_;
  std::size_t next_loop_ = 0;  // only for the first loop's thread
  bool stopped_ = false;
  std::vector<std::unique_ptr<Loop>> loops_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::start(Engine& engine, ServerOptions options) {
  if (options.listen.empty()) return fail(ErrorCode::kInvalidArgument, "listen: no address");
  const auto addresses = parse_all("listen", options.listen);
  if (!addresses) return tl::unexpected(addresses.error());
  const auto http_addresses = parse_all("http-listen", options.http_listen);
  if (!http_addresses) return tl::unexpected(http_addresses.error());
  for (const std::string& name : options.users) {
    if (auto user = find_user(name); !user) return tl::unexpected(user.error());
  }
  try {
    auto impl = std::make_unique<Impl>(engine, std::move(options));
    if (auto ok = impl->listen(*addresses, Protocol::kRpc); !ok) return tl::unexpected(ok.error());
    if (auto ok = impl->listen(*http_addresses, Protocol::kHttp); !ok) return tl::unexpected(ok.error());
    return Server(std::move(impl));
  } catch (const std::exception& e) {  // no thread or file descriptor can be had
    return fail(ErrorCode::kUnavailable, std::string("cannot start the server: ") + e.what());
  }
}

const std::vector<std::string>& Server::addresses() const { return impl_->addresses(); }
std::size_t Server::connections() const { return impl_->meter().connections; }
const Meter& Server::meter() const { return impl_->meter(); }
const Monitor& Server::monitor() const { return impl_->monitor(); }
const std::vector<std::string>& Server::http_addresses() const { return impl_->http_addresses(); }
void Server::set_tokens(const std::shared_ptr<const Tokens>& tokens) { impl_->set_tokens(tokens); }
void Server::set_tls(std::shared_ptr<transport::TlsContext> tls) {
  impl_->set([&](ServerOptions& options) { options.tls = tls; });
}
void Server::set_limits(const ServerLimits& limits) {
  impl_->set([&](ServerOptions& options) { options.limits = limits; });
}
void Server::set_slow_call(Duration limit) {
  impl_->set([&](ServerOptions& options) { options.slow_call = limit; });
}
void Server::ping() const { impl_->ping(); }
void Server::drain(const DrainOptions& options) {
  (void)impl_->drain().begin(options, Drain::By::kServer);  // begin() refuses only clients
}
DrainStatus Server::drain_status() const { return impl_->drain().status(); }
bool Server::drain_is_known() const { return impl_->drain().is_known(); }
void Server::stop(std::chrono::milliseconds deadline) { impl_->stop(deadline); }
void Server::end(const Result<void>& closed, std::chrono::milliseconds deadline) {
  impl_->end(closed, deadline);
}

}  // namespace holdfast::server
