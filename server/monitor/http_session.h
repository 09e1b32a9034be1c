// One HTTP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/monitor/host_names.h"
#include "server/monitor/monitor.h"

namespace holdfast::server {

// What sessions answer with. It outlives them.
struct HttpService {
  std::function<Page(std::string_view)> page;
  HostNames names;  // that are answered to
  // Told of a peer whose request is none, and why.
  std::function<void(const std::string& peer, std::string_view why)> on_refusal;
};

// Answers requests one after another until the peer hangs up or says nothing for too long, and is gone then.
// The socket's thread only.
class HttpSession {
 public:
  static std::weak_ptr<HttpSession> start(boost::asio::ip::tcp::socket socket, const HttpService& service);

  virtual ~HttpSession() = default;
  // It waits for a request, or the rest of one.
  virtual bool idle() const = 0;
  virtual void close() = 0;
};

}  // namespace holdfast::server
