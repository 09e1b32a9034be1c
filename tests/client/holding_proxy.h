// A proxy in the test's process that holds back what a client has sent over a connection that it breaks.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <thread>

namespace holdfast::testing {

class HoldingProxy {
 public:
  // `server`: "127.0.0.1:port".
  explicit HoldingProxy(const std::string& server);
  ~HoldingProxy();
  HoldingProxy(const HoldingProxy&) = delete;
  HoldingProxy& operator=(const HoldingProxy&) = delete;

  // "127.0.0.1:port"
  std::string address() const;

  // What comes next over the newest connection stays here, and its client is hung up on; to the server it
  // stays open.
  void hold();
  // What the newest connection's server says next stays here until answer(), and what its client says after
  // that until let_go(). Neither is hung up on.
  void hold_answers();
  void wait_for_answer();
  void wait_for_call();
  void answer();
  // Hangs up on the client of the held connection.
  void break_off();
  // Sends that on, and waits until the server has answered it or has hung up.
  void let_go();

 private:
  class Link;

  void accept_next();
  // On the proxy's thread; waits for it.
  template <class Work>
  void run(Work work);

  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  const boost::asio::ip::tcp::endpoint server_;
  std::shared_ptr<Link> newest_;   // the thread's only
  std::shared_ptr<Link> holding_;  // the thread's only
  std::thread thread_;
};

}  // namespace holdfast::testing
