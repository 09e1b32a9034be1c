#include "server/server.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <optional>

#include "server/connections.h"
#include "transport/loop_thread.h"

namespace holdfast::server {
namespace {

using transport::Address;

Result<std::vector<Address>> parse_all(const std::vector<std::string>& texts) {
  if (texts.empty()) return fail(ErrorCode::kInvalidArgument, "listen: no address");
  std::vector<Address> addresses;
  for (const auto& text : texts) {
    auto address = transport::parse_address(text);
    if (!address) return fail(address.error().code, "listen: " + address.error().message);
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

// What lives on the loop's thread.
struct Running {
  Running(Engine& engine, const ServerOptions& options, Meter& meter, transport::EventPort& port)
      : state(engine, options, meter, port), connections(state) {}

  State state;
  Connections connections;
  std::vector<std::shared_ptr<Listener>> listeners;
};

}  // namespace

class Server::Impl {
 public:
  Impl(Engine& engine, ServerOptions options) : engine_(engine), options_(std::move(options)) {
    if (!options_.log) options_.log = spdlog::default_logger();
    on_loop([this] { running_.emplace(engine_, options_, meter_, loop_.port()); });
  }
  ~Impl() { stop(std::chrono::milliseconds(0)); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> listen(const std::vector<Address>& addresses) {
    Result<void> result;
    on_loop([&] {
      for (const auto& address : addresses) {
        if (result) result = listen_on(address);
      }
    });
    return result;
  }

  const std::vector<std::string>& addresses() const { return addresses_; }
  const Meter& meter() const { return meter_; }

  void set_tokens(std::shared_ptr<const Tokens> tokens) {
    on_loop([&] { options_.tokens = std::move(tokens); });
  }

  void set_tls(std::shared_ptr<transport::TlsContext> tls) {
    on_loop([&] { options_.tls = std::move(tls); });
  }

  void set_limits(const ServerLimits& limits) {
    on_loop([&] { options_.limits = limits; });
  }

  void ping() {
    on_loop([] {});
  }

  void stop(std::chrono::milliseconds deadline) {
    if (!running_) return;
    bool finished = false;
    loop_.call([&] { return wind_down(deadline).then([&](bool all) { finished = all; }); });
    if (!finished) {
      options_.log->warn("calls are still in flight at the deadline: closing the engine");
      if (auto closed = engine_.close(); !closed) options_.log->error("{}", to_string(closed.error()));
    }
    loop_.call([this] { return running_->state.crossing.under_way().zero(); });
    loop_.call([this] { return running_->state.calls.zero(); });
    on_loop([this] { running_.reset(); });
  }

 private:
  template <class Work>
  void on_loop(Work work) {
    loop_.call([&]() -> kj::Promise<void> {
      work();
      return kj::READY_NOW;
    });
  }

  Result<void> listen_on(const Address& address) {
    auto listener = listen_at(running_->state, address, [this](AcceptedSocket socket) {
      running_->connections.add(std::move(socket));
    });
    if (!listener) return tl::unexpected(listener.error());
    addresses_.push_back(to_string((*listener)->address()));
    running_->listeners.push_back(std::move(*listener));
    return {};
  }

  // Gives whether all calls have finished.
  kj::Promise<bool> wind_down(std::chrono::milliseconds deadline) {
    auto& state = running_->state;
    for (auto& listener : running_->listeners) listener->close();
    state.stopping = true;
    meter_.stopping = true;
    state.waits.end_all();
    auto hung_up = state.calls.zero().then([this] { return running_->connections.close_all(); });
    auto too_late = state.port.after(deadline);
    return hung_up.exclusiveJoin(kj::mv(too_late)).then([&state] { return state.calls.count() == 0; });
  }

  Engine& engine_;
  ServerOptions options_;
  Meter meter_;
  std::vector<std::string> addresses_;
  std::optional<Running> running_;  // the loop's thread only
  transport::LoopThread loop_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::start(Engine& engine, ServerOptions options) {
  auto addresses = parse_all(options.listen);
  if (!addresses) return tl::unexpected(addresses.error());
  try {
    auto impl = std::make_unique<Impl>(engine, std::move(options));
    if (auto ok = impl->listen(*addresses); !ok) return tl::unexpected(ok.error());
    return Server(std::move(impl));
  } catch (const std::exception& e) {  // no thread or file descriptor to be had
    return fail(ErrorCode::kUnavailable, std::string("cannot start the server: ") + e.what());
  }
}

const std::vector<std::string>& Server::addresses() const { return impl_->addresses(); }
std::size_t Server::connections() const { return impl_->meter().connections; }
const Meter& Server::meter() const { return impl_->meter(); }
void Server::set_tokens(std::shared_ptr<const Tokens> tokens) { impl_->set_tokens(std::move(tokens)); }
void Server::set_tls(std::shared_ptr<transport::TlsContext> tls) { impl_->set_tls(std::move(tls)); }
void Server::set_limits(const ServerLimits& limits) { impl_->set_limits(limits); }
void Server::ping() const { impl_->ping(); }
void Server::stop(std::chrono::milliseconds deadline) { impl_->stop(deadline); }

}  // namespace holdfast::server
