#include "server/net/socket_in_transit.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace holdfast::server {
namespace {

using boost::asio::ip::tcp;
using Unix = boost::asio::local::stream_protocol;

int release(tcp::socket& socket) { return socket.release(); }
int release(TlsClient& client) { return client.socket.release(); }
int release(HttpClient& client) { return client.socket.release(); }
int release(HttpsClient& client) { return client.socket.release(); }
int release(Unix::socket& socket) { return socket.release(); }

// kPlace is the index of `Socket` among the alternatives of an AcceptedSocket.
template <class Socket>
constexpr std::size_t kPlace = [] {
  const auto place = []<class... Sockets>(const std::variant<Sockets...>*) {
    constexpr std::array kSame = {std::is_same_v<Socket, Sockets>...};
    return static_cast<std::size_t>(std::ranges::find(kSame, true) - kSame.begin());
  };
  return place(static_cast<const AcceptedSocket*>(nullptr));
}();

tcp protocol_of(int handle) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  const bool v6 = ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
                  address.ss_family == AF_INET6;
  return v6 ? tcp::v6() : tcp::v4();
}

}  // namespace

SocketInTransit::SocketInTransit(AcceptedSocket from)
    : kind_(from.index()), handle_(std::visit([](auto& socket) { return release(socket); }, from)) {}

SocketInTransit::SocketInTransit(SocketInTransit&& other) noexcept
    : kind_(other.kind_), handle_(std::exchange(other.handle_, -1)) {}

SocketInTransit::~SocketInTransit() {
  if (handle_ >= 0) ::close(handle_);
}

AcceptedSocket SocketInTransit::arrive(boost::asio::io_context& io) {
  const int handle = std::exchange(handle_, -1);
  if (kind_ == kPlace<Unix::socket>) return Unix::socket(io, Unix(), handle);
  tcp::socket socket(io, protocol_of(handle), handle);
  if (kind_ == kPlace<TlsClient>) return TlsClient{std::move(socket)};
  if (kind_ == kPlace<HttpClient>) return HttpClient{std::move(socket)};
  if (kind_ == kPlace<HttpsClient>) return HttpsClient{std::move(socket)};
  return socket;
}

}  // namespace holdfast::server
