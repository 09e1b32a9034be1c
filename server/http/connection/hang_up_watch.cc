#include "server/http/connection/hang_up_watch.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

namespace holdfast::server {

bool HangUpWatch::has_hung_up() {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  return info.tcpi_state == TCP_CLOSE_WAIT || info.tcpi_state == TCP_CLOSE;
}

}  // namespace holdfast::server
