// HoldingProxy, in the test's process, holds back what a client has sent over a connection that it breaks.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <thread>

namespace holdfast::testing {

class HoldingProxy {
 public:
  // `server` is "127.0.0.1:port".
  explicit HoldingProxy(const std::string& server);
  ~HoldingProxy();
  HoldingProxy(const HoldingProxy&) = delete;
  HoldingProxy& operator=(const HoldingProxy&) = delete;

  // Returns "127.0.0.1:port".
  std::string address() const;

  // Keeps what comes next from the client over the newest connection, and hangs up on the client. To the
  // server the connection stays open.
  void hold();
  // Keeps what the server of the newest connection says next until answer(), and what its client says after
  // that until let_go(). Neither of them is hung up on.
  void hold_answers();
  void wait_for_answer();
  void wait_for_call();
  void answer();
  // Hangs up on the client of the held connection.
  void break_off();
  // Sends what was kept of the client, and waits until the server has answered it or has hung up.
  void let_go();

 private:
  class Link;

  void accept_next();
  // Does the work on the proxy's thread, and waits for it.
  template <class Work>
  void run(Work work);

  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  const boost::asio::ip::tcp::endpoint server_;
  std::shared_ptr<Link> newest_;   // only the proxy's thread uses it
  std::shared_ptr<Link> holding_;  // only the proxy's thread uses it
  std::thread thread_;
};

}  // namespace holdfast::testing
