// An HttpSession is one HTTP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/monitor/host_names.h"
#include "server/monitor/monitor.h"

namespace holdfast::server {

// Sessions take their answers from an HttpService. It must outlive them.
struct HttpService {
  std::function<Page(std::string_view)> page;
  HostNames names;  // the names that are answered to
  // It is called for a peer whose request is not one of HTTP. `why` says what is wrong.
  std::function<void(const std::string& peer, std::string_view why)> on_refusal;
};

// Answers requests one after another until the peer hangs up or is silent for too long, and then destroys
// itself. Only the socket's thread uses it.
class HttpSession {
 public:
  static std::weak_ptr<HttpSession> start(boost::asio::ip::tcp::socket socket, const HttpService& service);

  virtual ~HttpSession() = default;
  // Returns whether the session waits for a request, or for the rest of one.
  virtual bool idle() const = 0;
  virtual void close() = 0;
};

}  // namespace holdfast::server
