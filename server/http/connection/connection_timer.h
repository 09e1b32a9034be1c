// A ConnectionTimer bounds how long a connection waits for its client.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::server {

// ConnectionTimer measures one time at a time. The function that is called when the time has
// run out must keep alive what it needs. It is not called once the time is stopped or set anew.
class ConnectionTimer {
 public:
  using Time = std::chrono::steady_clock::duration;

  explicit ConnectionTimer(const boost::asio::any_io_executor& executor) : timer_(executor) {}

  // Asio cannot cancel a wait that has run out and whose function is in its queue already. So the function is
  // told apart by the number of its wait.
  template <class RunOut>
  void wait(Time time, RunOut run_out) {
    timer_.expires_after(time);
    timer_.async_wait([run_out = std::move(run_out), present = present_,
                       number = ++*present_](const boost::system::error_code& error) {
      if (!error && *present == number) run_out();
    });
  }
  void stop() {
    ++*present_;
    timer_.cancel();
  }

  // The time for something that is read or written in parts begins anew with every kProgress bytes. `stall`
  // is the present ServerLimits::stall_timeout.
  template <class RunOut>
  void begin_stall(Time stall, RunOut run_out) {
    progress_ = 0;
    wait(stall, std::move(run_out));
  }
  template <class RunOut>
  void go_on(std::size_t bytes, Time stall, RunOut run_out) {
    progress_ += bytes;
    if (progress_ >= kProgress) begin_stall(stall, std::move(run_out));
  }

 private:
  static constexpr std::size_t kProgress = 4 << 10;

  boost::asio::steady_timer timer_;
  // The number of the wait whose function may be called. The functions share it, since they may outlive this.
  const std::shared_ptr<std::uint64_t> present_ = std::make_shared<std::uint64_t>(0);
  std::size_t progress_ = 0;  // bytes since the time began anew
};

}  // namespace holdfast::server
