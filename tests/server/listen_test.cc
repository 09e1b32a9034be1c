// Tests where a server listens, and where it refuses to.
#include <sys/stat.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <fstream>

#include "tests/server/server_fixture.h"

namespace holdfast::server {
namespace {

class ServerListen : public ServerFixture {
 protected:
  Result<Server> try_start(std::vector<std::string> listen, bool allow_insecure = false) {
    return Server::start(*engine_, {.listen = std::move(listen), .allow_insecure = allow_insecure});
  }

  std::filesystem::path path_ = directory_ / "socket";
  std::string unix_address_ = "unix:" + path_.string();
};

TEST_F(ServerListen, OnSeveralAddressesAtOnce) {
  start({.listen = {"127.0.0.1:0", unix_address_, "localhost:0"}});
  ASSERT_EQ(server_->addresses().size(), 3U);
  EXPECT_NE(server_->addresses()[0], "127.0.0.1:0");
  EXPECT_EQ(server_->addresses()[1], unix_address_);
  for (const std::string& text : server_->addresses()) {
    RawClient client(transport::connect(port_, must(transport::parse_address(text))).wait(scope_));
    EXPECT_THAT(client.send("none", {}).wait(scope_), FailsWith(ErrorCode::kQueueNotFound));
  }
}

TEST_F(ServerListen, AUnixSocketIsItsOwnersAndGoesAway) {
  start({.listen = {unix_address_}});
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  server_->stop(1min);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ServerListen, AUnixSocketThatWasLeftBehindIsReplaced) {
  { boost::asio::local::stream_protocol::acceptor dead(port_.io(), path_.string()); }
  ASSERT_TRUE(std::filesystem::exists(path_));
  start({.listen = {unix_address_}});
  RawClient client(transport::connect(port_, address()).wait(scope_));
}

TEST_F(ServerListen, AUnixSocketOfAnotherServerIsLeftAlone) {
  start({.listen = {unix_address_}});
  EXPECT_THAT(try_start({unix_address_}), FailsNaming(ErrorCode::kUnavailable, "in use"));
  RawClient client(transport::connect(port_, address()).wait(scope_));
}

TEST_F(ServerListen, AUnixSocketThatWasReplacedIsNotRemoved) {
  start({.listen = {unix_address_}});
  std::filesystem::remove(path_);
  std::ofstream(path_) << "somebody else's";
  server_->stop(1min);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(ServerListen, AFileThatIsNoSocketIsLeftAlone) {
  std::ofstream(path_) << "precious";
  EXPECT_THAT(try_start({unix_address_}), FailsNaming(ErrorCode::kInvalidArgument, "is not a socket"));
  EXPECT_EQ(std::filesystem::file_size(path_), 8U);
}

TEST_F(ServerListen, RefusesOtherMachinesUnlessSaidOutright) {
  EXPECT_THAT(try_start({"0.0.0.0:0"}), FailsNaming(ErrorCode::kPermissionDenied, "--allow-insecure"));
  EXPECT_THAT(try_start({"0.0.0.0:0"}, true), Succeeds());
}

TEST_F(ServerListen, SaysWhyItCannot) {
  start();
  EXPECT_THAT(try_start({server_->addresses().front()}),
              FailsNaming(ErrorCode::kUnavailable, server_->addresses().front()));
  EXPECT_THAT(try_start({}), FailsNaming(ErrorCode::kInvalidArgument, "listen"));
  EXPECT_THAT(try_start({"nonsense:port"}), FailsNaming(ErrorCode::kInvalidArgument, "listen"));
  EXPECT_THAT(try_start({"no.such.host.invalid:1"}), FailsNaming(ErrorCode::kInvalidArgument, "listen"));
  EXPECT_THAT(try_start({"unix:/nonexistent/socket"}), FailsNaming(ErrorCode::kUnavailable, "/nonexistent"));
}

TEST_F(ServerListen, ServesNoMoreOnceStopped) {
  start();
  auto client = connect();
  auto was = address();
  server_->stop(1min);
  client->on_disconnect().wait(scope_);
  EXPECT_THROW(transport::connect(port_, was).wait(scope_), kj::Exception);
  server_->stop(1min);
}

}  // namespace
}  // namespace holdfast::server
