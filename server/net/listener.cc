#include "server/net/listener.h"

#include <algorithm>
#include <optional>

#include "server/access/exposure.h"
#include "server/net/unix_socket_file.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Unix = asio::local::stream_protocol;
using boost::system::error_code;
using transport::Address;

// The time for connections to close when there are no more file descriptors.
constexpr auto kPauseAfterFailure = std::chrono::milliseconds(100);

template <class Transport>
class SocketListener final : public Listener, public std::enable_shared_from_this<SocketListener<Transport>> {
 public:
  using Accept = std::function<void(typename Transport::socket)>;

  SocketListener(State& state, Accept accept)
      : state_(state), accept_(std::move(accept)), acceptor_(state.port.io()), pause_(state.port.io()) {}

  // `claim` is called between bind and listen, so that no client gets in before.
  template <class Claim>
  Result<void> open(const Address& wanted, const typename Transport::endpoint& endpoint, Claim claim) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) {
      if (auto claimed = claim(); !claimed) return claimed;
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) return refused(wanted, error);
    address_ = wanted;
    if constexpr (std::is_same_v<Transport, tcp>) address_.port = acceptor_.local_endpoint().port();
    accept_next();
    return {};
  }

  void owns(UnixSocketFile file) { file_ = std::move(file); }

  const Address& address() const override { return address_; }

  void close() override {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    if (file_) file_->remove();
    file_.reset();
  }

 private:
  static Result<void> refused(const Address& wanted, const error_code& error) {
    auto code = error == asio::error::access_denied ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable;
    return fail(code, "cannot listen on " + to_string(wanted) + ": " + error.message());
  }

  void accept_next() {
    acceptor_.async_accept(
        [self = this->shared_from_this()](const error_code& error, typename Transport::socket socket) {
          if (!self->acceptor_.is_open()) return;
          if (error) return self->pause(error);
          self->accept_(std::move(socket));
          self->accept_next();
        });
  }

  void pause(const error_code& error) {
    state_.log.error("cannot take a connection on {}: {}", to_string(address_), error.message());
    pause_.expires_after(kPauseAfterFailure);
    pause_.async_wait([self = this->shared_from_this()](const error_code&) {
      if (self->acceptor_.is_open()) self->accept_next();
    });
  }

  State& state_;
  const Accept accept_;
  typename Transport::acceptor acceptor_;
  asio::steady_timer pause_;
  Address address_;
  std::optional<UnixSocketFile> file_;
};

AcceptedSocket accepted(tcp::socket socket, Protocol protocol, bool tls) {
  if (protocol == Protocol::kHttp && tls) return HttpsClient{std::move(socket)};
  if (protocol == Protocol::kHttp) return HttpClient{std::move(socket)};
  if (tls) return TlsClient{std::move(socket)};
  return socket;
}

Result<std::shared_ptr<Listener>> listen_tcp(State& state, const Address& address, Protocol protocol,
                                             const Accept& accept) {
  const std::string_view option = protocol == Protocol::kHttp ? "http-listen" : "listen";
  const auto endpoint = endpoint_of(address, option);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (auto ok = check_exposure(address, *endpoint, option, state.options); !ok)
    return tl::unexpected(ok.error());
  const bool tls = address.kind == Address::Kind::kTls;
  auto listener = std::make_shared<SocketListener<tcp>>(state, [protocol, tls, accept](tcp::socket socket) {
    accept(accepted(std::move(socket), protocol, tls));
  });
  auto opened = listener->open(address, *endpoint, [] { return Result<void>(); });
  if (!opened) return tl::unexpected(opened.error());
  return listener;
}

Result<std::shared_ptr<Listener>> listen_unix(State& state, const Address& address, const Accept& accept) {
  if (auto ok = remove_stale_socket(address.path); !ok) return tl::unexpected(ok.error());
  auto listener = std::make_shared<SocketListener<Unix>>(
      state, [accept](Unix::socket socket) { accept(AcceptedSocket(std::move(socket))); });
  auto claim = [&]() -> Result<void> {
    return UnixSocketFile::claim(address.path, !state.all.users.empty()).map([&](UnixSocketFile file) {
      listener->owns(std::move(file));
    });
  };
  auto opened = listener->open(address, Unix::endpoint(address.path), claim);
  if (!opened) {
    listener->close();
    return tl::unexpected(opened.error());
  }
  return listener;
}

// Returns the host of an address. A host has the whole lower half of its IPv6 network to itself.
std::string host_of(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  constexpr std::size_t kHalf = 8;
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + kHalf, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

Origin origin(tcp::socket& socket) {
  error_code error;
  auto endpoint = socket.remote_endpoint(error);
  if (error) return {.address = "a client that has gone"};
  return {.address = to_string(Address{.host = endpoint.address().to_string(), .port = endpoint.port()}),
          .host = host_of(endpoint.address())};
}

Origin origin(TlsClient& client) { return origin(client.socket); }
Origin origin(HttpClient& client) { return origin(client.socket); }
Origin origin(HttpsClient& client) { return origin(client.socket); }

Origin origin(Unix::socket& socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return {.address = "a local client"};
  return {.address = "pid:" + std::to_string(credentials.pid),
          .user = credentials.uid,
          .host = "uid:" + std::to_string(credentials.uid)};
}

}  // namespace

Result<std::shared_ptr<Listener>> listen_at(State& state, const Address& address, Protocol protocol,
                                            const Accept& accept) {
  if (address.kind != Address::Kind::kUnix) return listen_tcp(state, address, protocol, accept);
  if (protocol == Protocol::kRpc) return listen_unix(state, address, accept);
  return fail(ErrorCode::kInvalidArgument, "http-listen: " + to_string(address) + " is not host:port");
}

Origin origin_of(AcceptedSocket& socket) {
  return std::visit([](auto& connected) { return origin(connected); }, socket);
}

}  // namespace holdfast::server
