#include "schema/transport/tune.h"

#include <netinet/tcp.h>

#include <utility>

namespace holdfast::transport {
namespace {

// TCP_USER_TIMEOUT is left alone: it would also end a connection whose peer is there and has no room for
// more.
void notice_dead_peers(int socket) {
  constexpr std::pair<int, int> kOptions[] = {{TCP_KEEPIDLE, 60}, {TCP_KEEPINTVL, 10}, {TCP_KEEPCNT, 6}};
  for (const auto& [name, value] : kOptions) {
    ::setsockopt(socket, IPPROTO_TCP, name, &value, sizeof(value));
  }
}

}  // namespace

void tune(boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code ignored;  // the options are only an improvement
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  socket.set_option(boost::asio::socket_base::keep_alive(true), ignored);
  notice_dead_peers(socket.native_handle());
}

}  // namespace holdfast::transport
