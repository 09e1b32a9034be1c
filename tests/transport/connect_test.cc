// Connecting to a server over TCP and over a Unix socket, and what becomes of it if nobody listens or it is
// given up.
#include "schema/transport/connect.h"

#include <gtest/gtest.h>

#include <sys/fsuid.h>

#include <boost/asio/ip/tcp.hpp>

#include "tests/support/temp_dir.h"

namespace holdfast::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class Connect : public ::testing::Test {
 protected:
  ~Connect() noexcept override = default;  // declared, because KJ's destructors may throw

  EventPort port_;
  kj::EventLoop loop_{port_};
  bool served_ = (port_.serve(loop_), true);
  kj::WaitScope scope_{loop_};
};

TEST_F(Connect, ReachesAServerByNumberAndByName) {
  tcp::acceptor acceptor(port_.io(), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Address address{.host = host, .port = acceptor.local_endpoint().port()};
    auto socket = connect(port_, address).wait(scope_);
    acceptor.accept().close();
    auto end = socket->tryReadMessage().wait(scope_);
    EXPECT_TRUE(end == nullptr);
  }
}

TEST_F(Connect, ReachesAUnixSocket) {
  holdfast::testing::TempDir dir;
  Address address{.kind = Address::Kind::kUnix, .path = dir / "socket"};
  asio::local::stream_protocol::acceptor acceptor(port_.io(), address.path);
  auto socket = connect(port_, address).wait(scope_);
  acceptor.accept().close();
  auto end = socket->tryReadMessage().wait(scope_);
  EXPECT_TRUE(end == nullptr);
}

TEST_F(Connect, FailsIfNobodyListens) {
  tcp::acceptor acceptor(port_.io(), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  Address address{.port = acceptor.local_endpoint().port()};
  acceptor.close();
  EXPECT_THROW(connect(port_, address).wait(scope_), kj::Exception);
  EXPECT_THROW(connect(port_, {.kind = Address::Kind::kUnix, .path = "/nonexistent/socket"}).wait(scope_),
               kj::Exception);
}

TEST_F(Connect, SaysThatASocketMayNotBeUsed) {
  holdfast::testing::TempDir dir;
  Address address{.kind = Address::Kind::kUnix, .path = dir / "socket"};
  asio::local::stream_protocol::acceptor acceptor(port_.io(), address.path);
  std::filesystem::permissions(address.path, std::filesystem::perms::none);
  constexpr uid_t kNobody = 65534;  // root may use every socket, so the test acts as nobody
  const int before = setfsuid(kNobody);
  try {
    connect(port_, address).wait(scope_);
    ADD_FAILURE() << "connected";
  } catch (const kj::Exception& e) {
    EXPECT_EQ(e.getType(), kj::Exception::Type::FAILED);
  }
  setfsuid(static_cast<uid_t>(before));
}

TEST_F(Connect, MayBeGivenUp) {
  tcp::acceptor acceptor(port_.io(), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  { auto dropped = connect(port_, {.port = acceptor.local_endpoint().port()}); }
  { auto dropped = connect(port_, {.host = "localhost", .port = acceptor.local_endpoint().port()}); }
  scope_.poll();
}

}  // namespace
}  // namespace holdfast::transport
