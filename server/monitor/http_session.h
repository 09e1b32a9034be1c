// One HTTP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "server/monitor/monitor.h"

namespace holdfast::server {

// Answers requests one after another until the peer hangs up or says nothing for too long. `alive` is held
// that long.
void serve_http(boost::asio::ip::tcp::socket socket, const std::function<Page(std::string_view)>& page,
                std::shared_ptr<const void> alive);

}  // namespace holdfast::server
