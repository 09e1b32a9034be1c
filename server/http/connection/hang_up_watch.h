// Watches whether a client is still there that has already sent its next request.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <utility>

namespace holdfast::server {

// The next request is not read while one is being answered, so no read tells that the client has hung up
// after it. So the kernel is asked now and then.
class HangUpWatch {
 public:
  // `socket` must outlive it.
  explicit HangUpWatch(boost::asio::ip::tcp::socket& socket)
      : socket_(socket), timer_(socket.get_executor()) {}

  // Returns whether the client has closed its end, even if it sent something before that is not read yet.
  bool has_hung_up();

  // Calls `look` when it is time to ask again, unless stop() is called first. `look` must keep alive what it
  // needs.
  template <class Look>
  void ask_again(Look look) {
    timer_.expires_after(kBetweenLooks);
    timer_.async_wait([look = std::move(look)](const boost::system::error_code& error) {
      if (!error) look();
    });
  }
  void stop() { timer_.cancel(); }

 private:
  static constexpr auto kBetweenLooks = std::chrono::seconds(1);

  boost::asio::ip::tcp::socket& socket_;
  boost::asio::steady_timer timer_;
};

}  // namespace holdfast::server
