// A proxy in the test's process that cuts connections at random bytes.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/client/cuts/repetitions.h"
#include "tests/support/random.h"

namespace holdfast::testing {

// Passes bytes between its clients and a server, each connection until as many have passed in one of the two
// directions as the seed says; what comes before the cut arrives. Then both sides are closed, or reset. Half
// of those that end by what the server says fall silent first: what the client says arrives for a while, and
// is not answered.
class CuttingProxy {
 public:
  struct Bytes {
    // Three of four connections live for at least that many, so that there is a call to be cut.
    std::size_t greeting = 0;
    std::size_t most = 1;  // beyond those
  };

  // `server`: "127.0.0.1:port". `repetitions`: hears what passes; null where that is encrypted.
  CuttingProxy(const std::string& server, Bytes bytes, std::uint64_t seed, Repetitions* repetitions);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // "127.0.0.1:port"
  std::string address() const;

  std::uint64_t cuts() const;
  // Blocks until there were so many.
  void wait_for_cuts(std::uint64_t cuts);

 private:
  class Link;

  void accept_next();
  void was_cut();

  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  const boost::asio::ip::tcp::endpoint server_;
  const Bytes bytes_;
  Repetitions* const repetitions_;
  Random random_;  // the thread's only
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t cuts_ = 0;
  std::thread thread_;
};

}  // namespace holdfast::testing
