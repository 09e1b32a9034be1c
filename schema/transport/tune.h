// The options of a TCP socket over which calls and their answers pass.
#pragma once

#include <boost/asio/ip/tcp.hpp>

namespace holdfast::transport {

// Sends what is written at once, and has the system notice after two minutes of silence that the peer's
// machine is gone.
void tune(boost::asio::ip::tcp::socket& socket);

}  // namespace holdfast::transport
