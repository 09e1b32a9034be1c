// CuttingProxy, in the test's process, cuts connections at random bytes.
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

// Passes bytes between its clients and a server, until as many bytes of a connection have passed in one of
// the two directions as the seed says. What comes before the cut arrives. Then both sides are closed, or
// reset. Half of the connections that end by what the server says fall silent first: for a while, what the
// client says arrives and is not answered.
class CuttingProxy {
 public:
  struct Bytes {
    // Three of four connections live for at least that many bytes, so that there is a call to be cut.
    std::size_t greeting = 0;
    std::size_t most = 1;  // how many more bytes a connection may live for
  };

  // `server` is "127.0.0.1:port". `repetitions` hears what passes. It is null if that is encrypted.
  CuttingProxy(const std::string& server, Bytes bytes, std::uint64_t seed, Repetitions* repetitions);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // Returns "127.0.0.1:port".
  std::string address() const;

  std::uint64_t cuts() const;
  // Blocks until there have been so many cuts.
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
  Random random_;  // only the proxy's thread uses it
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t cuts_ = 0;
  std::thread thread_;
};

}  // namespace holdfast::testing
