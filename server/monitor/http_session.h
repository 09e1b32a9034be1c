// One HTTP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "server/monitor/host_names.h"
#include "server/monitor/monitor.h"

namespace holdfast::server {

// Answers requests for one of `names` one after another until the peer hangs up or says nothing for too long,
// and is gone then. The socket's thread only.
class HttpSession {
 public:
  static std::weak_ptr<HttpSession> start(boost::asio::ip::tcp::socket socket,
                                          const std::function<Page(std::string_view)>& page,
                                          const HostNames& names);

  virtual ~HttpSession() = default;
  // It waits for a request, or the rest of one.
  virtual bool idle() const = 0;
  virtual void close() = 0;
};

}  // namespace holdfast::server
