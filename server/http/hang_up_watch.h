// Whether a client is still there that has sent its next request already.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <utility>

namespace holdfast::server {

// The next request is not read while one is answered, so no read tells of the end that comes behind it: the
// kernel is asked, now and then.
class HangUpWatch {
 public:
  // `socket` must outlive it.
  explicit HangUpWatch(boost::asio::ip::tcp::socket& socket)
      : socket_(socket), timer_(socket.get_executor()) {}

  // Whether the client has closed its end, whatever it sent before that is not read yet.
  bool has_hung_up();

  // Calls `look`, which keeps alive what it needs, when it is time to ask again, unless stop() comes before.
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
