// These tests are about the timer of an HTTP connection.
#include "server/http/connection/connection_timer.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

// The first wait has run out, and its function is in the queue, when the timer is set anew or stopped.
TEST(ConnectionTimer, CallsNothingOnceItIsStoppedOrSetAnew) {
  for (const bool stops : {true, false}) {
    boost::asio::io_context loop;
    ConnectionTimer timer(loop.get_executor());
    bool called = false;
    timer.wait(0s, [&] { called = true; });
    boost::asio::post(loop, [&] { stops ? timer.stop() : timer.wait(1h, [] {}); });
    loop.poll();
    EXPECT_FALSE(called);
  }
}

TEST(ConnectionTimer, CallsItsFunctionWhenTheTimeIsOver) {
  boost::asio::io_context loop;
  ConnectionTimer timer(loop.get_executor());
  bool called = false;
  timer.wait(0s, [&] { called = true; });
  loop.run();
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace holdfast::server
