// A client may ask for backups, but only where the server keeps them.
#include <spdlog/sinks/null_sink.h>

#include "holdfast/client.h"
#include "server/net/server.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

class ServedBackup : public ::testing::Test {
 protected:
  void serve(const std::filesystem::path& backups) {
    auto log = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(must(server::Server::start(
        engine_, {.listen = {"127.0.0.1:0"}, .backups = backups, .log = std::move(log)})));
    client_.emplace(must(Client::connect(server_->addresses().front())));
  }

  TempDir temp_;
  Engine engine_ = must(Engine::open(temp_ / "data"));
  std::optional<server::Server> server_;
  std::optional<Client> client_;
};

TEST_F(ServedBackup, GoesBelowTheServersDirectory) {
  serve(temp_ / "backups");
  must(client_->create_queue("orders"));
  must(client_->send("orders", {.body = "x"}));
  const BackupInfo info = must(client_->backup("nightly/one", {.keep = 2}));
  EXPECT_EQ(info.number, 1U);
  EXPECT_GT(info.bytes, 0U);
  EXPECT_GT(info.files, 0U);
  EXPECT_EQ(must(Engine::list_backups(temp_ / "backups" / "nightly" / "one")).at(0), info);
  must(Engine::restore(temp_ / "backups/nightly/one", temp_ / "restored"));
  Engine restored = must(Engine::open(temp_ / "restored"));
  EXPECT_EQ(must(restored.describe_queue("orders")).counts.ready, 1U);
}

TEST_F(ServedBackup, GoesNowhereElse) {
  serve(temp_ / "backups");
  for (const std::string name : {"../other", "/tmp/other", "a/../../other", ".."}) {
    EXPECT_THAT(client_->backup(name), FailsWith(ErrorCode::kInvalidArgument)) << name;
  }
}

TEST_F(ServedBackup, ControlCharactersInANameReachNoTerminal) {
  serve(temp_ / "backups");
  EXPECT_THAT(client_->backup("../\x1b[31mred"),
              FailsNaming(ErrorCode::kInvalidArgument, "'../\\x1b[31mred' is not a name"));
}

TEST_F(ServedBackup, FollowsNoSymbolicLink) {
  namespace fs = std::filesystem;
  fs::create_directories(temp_ / "backups" / "inner");
  fs::create_directory(temp_ / "other");
  fs::create_directory_symlink(temp_ / "other", temp_ / "backups" / "link");
  fs::create_directory_symlink(temp_ / "nowhere", temp_ / "backups" / "inner" / "dangling");
  serve(temp_ / "backups");
  for (const std::string name : {"link", "link/below", "inner/dangling", "inner/../link"}) {
    EXPECT_THAT(client_->backup(name), FailsWith(ErrorCode::kInvalidArgument)) << name;
  }
  EXPECT_TRUE(fs::is_empty(temp_ / "other"));
  EXPECT_FALSE(fs::exists(temp_ / "nowhere"));
  must(client_->backup("inner/real"));
  for (const std::string part : {"private", "shared_checksum", "meta"}) {
    fs::create_directories(temp_ / "backups" / ("has-" + part));
    fs::create_directory_symlink(temp_ / "other", temp_ / "backups" / ("has-" + part) / part);
    EXPECT_THAT(client_->backup("has-" + part), FailsWith(ErrorCode::kInvalidArgument)) << part;
  }
  EXPECT_TRUE(fs::is_empty(temp_ / "other"));
}

TEST_F(ServedBackup, IsRefusedWithoutADirectory) {
  serve({});
  EXPECT_THAT(client_->backup("nightly"), FailsWith(ErrorCode::kPermissionDenied));
}

}  // namespace
}  // namespace holdfast::testing
