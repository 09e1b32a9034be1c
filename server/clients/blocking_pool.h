// Threads for calls that block, so that no loop blocks.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <thread>
#include <vector>

namespace holdfast::server {

// Boost's own pool waits for ever in its constructor if only some of its threads can be had: it joins those
// that have started and tells none of them to end. So this class starts the threads and attaches them.
class BlockingPool {
 public:
  // Throws std::system_error if not all threads can be had. No thread is left then.
  explicit BlockingPool(std::size_t threads) {
    try {
      for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { pool_.attach(); });
    } catch (...) {
      join();
      throw;
    }
  }
  // Drops the calls that have not begun.
  ~BlockingPool() { join(); }
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  boost::asio::thread_pool::executor_type get_executor() noexcept { return pool_.get_executor(); }
  void join() {
    pool_.stop();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  boost::asio::thread_pool pool_{0};
  std::vector<std::thread> threads_;
};

}  // namespace holdfast::server
