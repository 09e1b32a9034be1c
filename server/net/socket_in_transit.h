// SocketInTransit is a client's socket on its way from the thread that accepted it to the one that serves it.
#pragma once

#include <boost/asio/io_context.hpp>

#include "server/net/listener.h"

namespace holdfast::server {

class SocketInTransit {
 public:
  explicit SocketInTransit(AcceptedSocket from);
  SocketInTransit(SocketInTransit&& other) noexcept;
  SocketInTransit& operator=(SocketInTransit&&) = delete;
  // Closes the socket, unless it has arrived.
  ~SocketInTransit();

  AcceptedSocket arrive(boost::asio::io_context& io);

 private:
  std::size_t kind_;  // the socket's index in AcceptedSocket
  int handle_ = -1;
};

}  // namespace holdfast::server
